// The list of all jobs: filtered and sorted by the server, with the filter in the address.
import { useCallback, useEffect, useState } from 'preact/hooks';
import { useJobList } from '../api/job_pages';
import { forEachJob, rerunJob, stopJob } from '../api/jobs';
import { activeStates, isOver, states, type JobRow, type State } from '../api/types';
import { Icon } from '../components/icons';
import { Ago, Button, Confirm, Elapsed, Empty, ErrorBox, Loading, Page, StatePill, messageOf, toast } from '../components/ui';
import { VirtualRows } from '../components/virtual';
import { formatCount } from '../format';
import { t, tn, type Key } from '../i18n';
import { navigate, useLocation, withQuery } from '../router';

const rowHeight = 48;

// "active", "failed", "failed,stopped" or nothing for all.
export function statesOf(text: string | null): State[] {
  if (!text) return [];
  if (text === 'active') return activeStates;
  return text.split(',').filter((word): word is State => (states as string[]).includes(word));
}

const chips: { value: string; label: Key; of: State[] }[] = [
  { value: '', label: 'jobs.all', of: states },
  { value: 'active', label: 'jobs.active', of: activeStates },
  { value: 'queued', label: 'state.queued', of: ['queued'] },
  { value: 'running', label: 'state.running', of: ['running'] },
  { value: 'succeeded', label: 'state.succeeded', of: ['succeeded'] },
  { value: 'failed', label: 'state.failed', of: ['failed'] },
  { value: 'stopped', label: 'state.stopped', of: ['stopped'] },
];

const columns: { id: string; label: Key; sort?: string }[] = [
  { id: 'state', label: 'jobs.state', sort: 'state' },
  { id: 'name', label: 'jobs.name', sort: 'name' },
  { id: 'framework', label: 'jobs.framework', sort: 'framework' },
  { id: 'devices', label: 'jobs.devices' },
  { id: 'user', label: 'jobs.user', sort: 'user' },
  { id: 'created', label: 'jobs.created', sort: 'id' },
  { id: 'duration', label: 'jobs.duration', sort: 'duration' },
  { id: 'reason', label: 'jobs.remark' },
];

function Head({ sort, all, onAll }: { sort: string; all: boolean; onAll: () => void }) {
  const column = sort.replace('-', '');
  return (
    <div class="job-row head" role="row" aria-rowindex={1}>
      <span role="columnheader" class="c-check"><input type="checkbox" checked={all} onChange={onAll} aria-label={t('jobs.selectAll')} /></span>
      {columns.map(({ id, label, sort: by }) => {
        const mine = by === column;
        const descending = mine && sort.startsWith('-');
        return (
          <span key={id} role="columnheader" class={`c-${id}`} aria-sort={mine ? (descending ? 'descending' : 'ascending') : 'none'}>
            {by ? <a href={withQuery({ sort: mine && descending ? by : `-${by}` })} data-keep-scroll>{t(label)}{mine && <i>{descending ? '↓' : '↑'}</i>}</a> : t(label)}
          </span>
        );
      })}
    </div>
  );
}

function Row({ job, index, selected, onSelect }: { job: JobRow; index: number; selected: boolean; onSelect: () => void }) {
  return (
    <div class={`job-row ${selected ? 'selected' : ''}`} role="row" aria-rowindex={index + 2}>
      <span role="gridcell" class="c-check"><input type="checkbox" checked={selected} onChange={onSelect} aria-label={t('jobs.select', { id: job.id })} /></span>
      <span role="gridcell" class="c-state"><StatePill state={job.state} /></span>
      <span role="gridcell" class="c-name"><a href={`/jobs/${job.id}`}>{job.name}</a><small>#{job.id}{job.group && ` · ${job.group}`}</small></span>
      <span role="gridcell" class="c-framework">{job.framework}</span>
      <span role="gridcell" class="c-devices">{job.nodes > 1 ? `${job.nodes} × ` : ''}{job.devices}</span>
      <span role="gridcell" class="c-user">{job.user}</span>
      <span role="gridcell" class="c-created"><Ago ms={job.created_ms} /></span>
      <span role="gridcell" class="c-duration">{job.started_ms ? <Elapsed from={job.started_ms} to={isOver(job.state) ? job.ended_ms : 0} /> : '–'}</span>
      <span role="gridcell" class="c-reason" title={job.reason}>{job.reason}</span>
    </div>
  );
}

function Search({ value }: { value: string }) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => navigate(withQuery({ q: text }), true), 60);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <label class="search">
      <Icon name="search" size={16} />
      <input type="search" value={text} placeholder={t('jobs.search')} aria-label={t('jobs.search')} onInput={(event) => setText(event.currentTarget.value)} />
    </label>
  );
}

type Bulk = 'stop' | 'rerun';

export default function Jobs() {
  const { query } = useLocation();
  const state = query.get('state') ?? '';
  const sort = query.get('sort') ?? '-id';
  const filter = { states: statesOf(state), text: query.get('q') ?? '', user: query.get('user') ?? '', group: query.get('group') ?? '', sort: sort === '-id' ? '' : sort };
  const list = useJobList(filter);
  const [selected, setSelected] = useState<Map<number, JobRow>>(new Map());
  const [asking, setAsking] = useState<Bulk>();
  const { total, counts, error, row } = list;

  const toggle = (job: JobRow) => setSelected((old) => {
    const now = new Map(old);
    if (!now.delete(job.id)) now.set(job.id, job);
    return now;
  });
  const visible = Array.from({ length: Math.min(total ?? 0, 200) }, (_, i) => row(i)).filter((job) => job !== undefined);
  const allSelected = visible.length > 0 && visible.every((job) => selected.has(job.id));
  const render = useCallback((index: number) => {
    const job = row(index);
    return job ? <Row key={job.id} job={job} index={index} selected={selected.has(job.id)} onSelect={() => toggle(job)} />
      : <div key={`empty-${index}`} class="job-row waiting" role="row"><span role="gridcell">…</span></div>;
  }, [row, selected, total]);

  const ids = [...selected.keys()];
  const act = async (bulk: Bulk) => {
    const errors = await forEachJob(ids, bulk === 'stop' ? stopJob : rerunJob);
    if (errors.size === 0) {
      toast(tn(bulk === 'stop' ? 'jobs.stopping' : 'jobs.resubmitted', ids.length));
      setSelected(new Map());
    } else {
      const [id, first] = [...errors][0]!;
      throw new Error(`${t('jobs.someFailed', { failed: errors.size, all: ids.length })} #${id}: ${messageOf(first)}`);
    }
    list.reload();
  };

  const filtered = Boolean(state || filter.text || filter.user || filter.group);
  return (
    <div class="fill">
      <Page title={t('nav.jobs')} note={total !== undefined ? tn('overview.jobs', total) : undefined} actions={<a class="button primary" href="/new"><Icon name="plus" size={16} />{t('nav.new')}</a>}>
        <div class="toolbar">
          <Search value={filter.text} />
          <nav class="chips" aria-label={t('jobs.state')}>
            {chips.map((chip) => (
              <a key={chip.value} class="chip" href={withQuery({ state: chip.value })} data-keep-scroll aria-current={state === chip.value ? 'true' : undefined}>
                {t(chip.label)}{counts && <span class="count">{formatCount(chip.of.reduce((sum, each) => sum + counts[each], 0))}</span>}
              </a>
            ))}
            {filter.group && <a class="chip" aria-current="true" href={withQuery({ group: '' })}>{t('jobs.group')}: {filter.group} ✕</a>}
            {filter.user && <a class="chip" aria-current="true" href={withQuery({ user: '' })}>{t('jobs.user')}: {filter.user} ✕</a>}
          </nav>
        </div>
        {ids.length > 0 && (
          <div class="bulk" role="toolbar" aria-label={tn('jobs.selected', ids.length)}>
            <b>{tn('jobs.selected', ids.length)}</b>
            <Button icon="stop" onClick={() => setAsking('stop')}>{t('job.stop')}</Button>
            <Button icon="rerun" onClick={() => setAsking('rerun')}>{t('job.rerun')}</Button>
            <a class="button" href={`/compare?ids=${ids.join(',')}`}><Icon name="compare" size={16} />{t('nav.compare')}</a>
            <Button look="ghost" icon="cross" onClick={() => setSelected(new Map())}>{t('jobs.clear')}</Button>
          </div>
        )}
        {error && <ErrorBox error={error} retry={list.reload} />}
        {total === undefined ? !error && <Loading /> : total === 0 ? (
          <Empty>{filtered ? <><p>{t('jobs.noMatch')}</p><a href="/jobs">{t('jobs.showAll')}</a></> : <><p>{t('jobs.none')}</p><p class="dim">{t('jobs.noneHint')} <code>muster run -- echo hello</code></p></>}</Empty>
        ) : (
          <div class="table-frame">
            <VirtualRows count={total} rowHeight={rowHeight} label={t('nav.jobs')} render={render} onShow={list.show}
              head={<Head sort={sort} all={allSelected} onAll={() => setSelected(allSelected ? new Map() : new Map(visible.map((job) => [job.id, job])))} />} />
          </div>
        )}
      </Page>
      {asking && (
        <Confirm title={t(asking === 'stop' ? 'jobs.stopTitle' : 'jobs.rerunTitle')} look={asking === 'stop' ? 'danger' : 'primary'}
          action={t(asking === 'stop' ? 'job.stop' : 'job.rerun')} onDone={() => setAsking(undefined)} run={() => act(asking)}>
          <p>{tn(asking === 'stop' ? 'jobs.stopAsk' : 'jobs.rerunAsk', ids.length)}</p>
          <p class="id-list">{[...selected.values()].slice(0, 30).map((job) => <span key={job.id} class="chip">#{job.id} {job.name}</span>)}</p>
        </Confirm>
      )}
    </div>
  );
}
