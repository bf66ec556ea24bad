// The logs of a job: of one rank, or of all ranks as one.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { isOver, type Job } from '../api/types';
import { Icon } from '../components/icons';
import { Button, messageOf, toast } from '../components/ui';
import { t, tn } from '../i18n';
import { parseLine, textOf } from '../log/ansi';
import { patternOf, searchRank, type Hit } from '../log/search';
import { MergedSource, RankSource } from '../log/source';
import { LogView, type Target } from '../log/view';
import { navigate, useLocation, withQuery } from '../router';

const mostHits = 2000;
const firstError = 'Traceback \\(most recent call last\\)|ERROR|CRITICAL|FATAL|[A-Za-z]Error:|[A-Za-z]Exception:';

function useSearch(job: Job, ranks: number[], attempt: number) {
  const [hits, setHits] = useState<Hit[]>();
  const [busy, setBusy] = useState(false);
  const abort = useRef(new AbortController());
  const clear = () => {
    abort.current.abort();
    setHits(undefined);
    setBusy(false);
  };
  const run = async (text: string, regex: boolean, most = mostHits): Promise<Hit[]> => {
    abort.current.abort();
    const mine = (abort.current = new AbortController());
    const all: Hit[] = [];
    setBusy(true);
    setHits([]);
    try {
      for (const rank of ranks) {
        if (all.length >= most) break;
        await searchRank(job.id, rank, attempt, text, regex, most - all.length, mine.signal, (more) => {
          all.push(...more);
          setHits([...all]);
        });
      }
    } catch (error) {
      if (!mine.signal.aborted) toast(messageOf(error as Error));
    }
    if (!mine.signal.aborted) setBusy(false);
    return all;
  };
  useEffect(() => () => abort.current.abort(), []);
  return { hits, busy, run, clear };
}

function Hits({ hits, busy, find, onPick, onClose, ranks }: { hits: Hit[]; busy: boolean; find: RegExp | undefined; onPick: (hit: Hit) => void; onClose: () => void; ranks: boolean }) {
  return (
    <div class="hits">
      <header>
        <b role="status">{busy && <span class="spinner" />}{tn('log.hits', hits.length)}{hits.length >= mostHits && '+'}</b>
        <Button look="ghost" icon="cross" onClick={onClose} aria-label={t('common.close')} />
      </header>
      <ol>
        {hits.slice(0, 300).map((hit) => (
          <li key={`${hit.rank}:${hit.offset}`}>
            <button type="button" onClick={() => onPick(hit)}>
              {ranks && <span class={`rank r${hit.rank % 8}`}>{hit.rank}</span>}
              <code>{highlight(textOf(parseLine(hit.text).pieces), find)}</code>
            </button>
          </li>
        ))}
      </ol>
    </div>
  );
}

function highlight(text: string, find: RegExp | undefined) {
  const match = find ? text.matchAll(find).next().value : undefined;
  if (!match) return text.slice(0, 300);
  const from = Math.max(0, match.index - 60);
  return <>{from > 0 && '…'}{text.slice(from, match.index)}<mark>{match[0]}</mark>{text.slice(match.index + match[0].length, match.index + 240)}</>;
}

export default function JobLogs({ job }: { job: Job }) {
  const { query } = useLocation();
  const attempts = job.attempts.map((each) => each.number);
  const attempt = Number(query.get('attempt')) || (attempts.at(-1) ?? 0);
  const ranks = useMemo(() => job.attempts.find((each) => each.number === attempt)?.ranks.map((each) => each.rank) ?? [], [job.attempts, attempt]);
  const chosen = query.get('rank') ?? (job.verdict?.rank != null ? String(job.verdict.rank) : ranks.length > 1 ? 'all' : '0');
  const rank = chosen === 'all' ? undefined : Number(chosen);

  const state = useRef({ over: isOver(job.state), sinceMs: 0 });
  const over = isOver(job.state) || attempt !== attempts.at(-1);
  if (over && !state.current.over) state.current.sinceMs = Date.now();
  state.current.over = over;
  const live = () => !state.current.over || Date.now() - state.current.sinceMs < 5000;

  const source = useMemo(() => (rank === undefined ? new MergedSource(job.id, attempt, live) : new RankSource(job.id, rank, attempt, live)), [job.id, attempt, rank]);
  const [follow, setFollow] = useState(true);
  const [wrap, setWrap] = useState(false);
  const [times, setTimes] = useState(false);
  const [text, setText] = useState('');
  const [regex, setRegex] = useState(false);
  const [target, setTarget] = useState<Target>();
  const pattern = useMemo(() => patternOf(text, regex), [text, regex]);
  const find = pattern instanceof RegExp ? pattern : undefined;
  const search = useSearch(job, rank === undefined ? ranks : [rank], attempt);
  const pick = (hit: Hit) => {
    if (rank === undefined) {
      // A merged log shows the end only: the hit is shown in the log of its rank.
      pending.current = hit.offset;
      navigate(withQuery({ rank: hit.rank }), true);
    } else {
      setTarget({ offset: hit.offset, serial: Date.now() });
    }
  };
  const pending = useRef<number | undefined>(undefined);
  useEffect(() => {
    setFollow(true);
    setTarget(undefined);
    if (pending.current === undefined) return;
    const offset = pending.current;
    pending.current = undefined;
    setTarget({ offset, serial: Date.now() });
  }, [source]);

  const toError = async () => {
    const [hit] = await search.run(firstError, true, 1);
    if (hit) pick(hit);
    else toast(t('log.noError'));
  };
  const file = `${job.name}-${job.id}-rank${rank ?? 0}.log`;
  return (
    <div class="logs">
      <div class="toolbar">
        <form class="search" onSubmit={(event) => { event.preventDefault(); if (text && !(pattern instanceof Error)) void search.run(text, regex); }}>
          <Icon name="search" size={16} />
          <input type="search" value={text} placeholder={t('log.search')} aria-label={t('log.search')} aria-invalid={pattern instanceof Error}
            onInput={(event) => { setText(event.currentTarget.value); if (!event.currentTarget.value) search.clear(); }} />
          <button type="button" class="toggle" aria-pressed={regex} title={t('log.regex')} aria-label={t('log.regex')} onClick={() => setRegex(!regex)}>.*</button>
        </form>
        {(ranks.length > 1 || rank === undefined) && (
          <label class="inline">{t('job.rank')}
            <select value={chosen} onChange={(event) => navigate(withQuery({ rank: event.currentTarget.value }), true)}>
              <option value="all">{t('log.allRanks')}</option>
              {ranks.map((each) => <option key={each} value={each}>{each}</option>)}
            </select>
          </label>
        )}
        {attempts.length > 1 && (
          <label class="inline">{t('job.attempt')}
            <select value={attempt} onChange={(event) => navigate(withQuery({ attempt: event.currentTarget.value, rank: '' }), true)}>
              {attempts.map((each) => <option key={each} value={each}>{each}</option>)}
            </select>
          </label>
        )}
        <Button icon="warn" onClick={toError}>{t('log.firstError')}</Button>
        <Button icon="wrap" aria-pressed={wrap} title={t('log.wrap')} aria-label={t('log.wrap')} onClick={() => setWrap(!wrap)} />
        {rank === undefined && <Button icon="clock" aria-pressed={times} title={t('log.times')} aria-label={t('log.times')} onClick={() => setTimes(!times)} />}
        <a class="button" href={`/api/v1/jobs/${job.id}/ranks/${rank ?? 0}/log?attempt=${attempt || 1}`} download={file} title={file}><Icon name="download" size={16} /><span>{t('common.download')}</span></a>
      </div>
      {pattern instanceof Error && <p class="field-error" role="alert">{pattern.message}</p>}
      {search.hits && text && <Hits hits={search.hits} busy={search.busy} find={find} ranks={rank === undefined} onPick={pick} onClose={search.clear} />}
      <LogView source={source} find={find} wrap={wrap} times={times} follow={follow} onFollow={setFollow} target={target} empty={over ? t('log.empty') : t('log.notYet')} />
    </div>
  );
}
