// Several jobs side by side: their results against a baseline, their parameters, their curves.
import { useMemo, useState } from 'preact/hooks';
import { getJob, listJobs } from '../api/jobs';
import { useResource } from '../api/resource';
import { getSeries, isCurve, lastValues, type Series } from '../api/series';
import { isOver, type Job } from '../api/types';
import { curveOf, hasSteps } from '../charts/curves';
import { ChartControls, colours, LineChart, type ChartOptions } from '../charts/line';
import { Card, Empty, ErrorBox, Loading, Page, StatePill } from '../components/ui';
import { formatDuration, formatValue } from '../format';
import { t } from '../i18n';
import { flatten, shareOf } from '../job/compare';
import { navigate, useLocation, withQuery } from '../router';

const most = 12;

export function idsOf(text: string | null): number[] {
  return [...new Set((text ?? '').split(',').map(Number).filter((id) => Number.isInteger(id) && id > 0))].slice(0, most);
}

function Picker({ ids }: { ids: number[] }) {
  const [text, setText] = useState('');
  const { data } = useResource(`pick ${text}`, (signal) => listJobs({ text, limit: 8 }, signal));
  const add = (id: number) => navigate(withQuery({ ids: [...ids, id].join(',') }));
  return (
    <div class="picker">
      <label class="search"><input type="search" value={text} placeholder={t('compare.add')} aria-label={t('compare.add')} onInput={(event) => setText(event.currentTarget.value)} /></label>
      <div class="chips">{data?.jobs.filter((job) => !ids.includes(job.id)).map((job) => <button key={job.id} type="button" class="chip" onClick={() => add(job.id)}>+ #{job.id} {job.name}</button>)}</div>
    </div>
  );
}

interface Loaded {
  job: Job;
  series: Series[];
}

function Results({ all, baseline }: { all: Loaded[]; baseline: Loaded }) {
  const values = new Map(all.map((each) => [each.job.id, lastValues(each.series)]));
  const names = [...new Set([...values.values()].flatMap((map) => [...map.keys()]))];
  const base = values.get(baseline.job.id)!;
  const duration = ({ job }: Loaded) => {
    const attempt = job.attempts.at(-1);
    return attempt?.started_ms ? (job.ended_ms || Date.now()) - attempt.started_ms : undefined;
  };
  const delta = (value: number | undefined, from: number | undefined) => {
    const share = shareOf(value, from);
    return share === undefined ? '' : <small class={share > 0 ? 'more' : share < 0 ? 'less' : ''}>{share > 0 ? '+' : ''}{(share * 100).toFixed(1)} %</small>;
  };
  return (
    <>
      {names.map((name) => (
        <tr key={name}><th scope="row">{name}</th>{all.map((each) => { const value = values.get(each.job.id)!.get(name); return <td key={each.job.id}>{value === undefined ? '–' : formatValue(value)} {each !== baseline && delta(value, base.get(name))}</td>; })}</tr>
      ))}
      <tr><th scope="row">{t('jobs.duration')}</th>{all.map((each) => { const ms = duration(each); return <td key={each.job.id}>{ms === undefined ? '–' : formatDuration(ms)} {each !== baseline && delta(ms, duration(baseline))}</td>; })}</tr>
    </>
  );
}

export default function Compare() {
  const { query } = useLocation();
  const ids = idsOf(query.get('ids'));
  const key = ids.join(',');
  const { data, error, reload } = useResource(key ? `compare ${key}` : null, (signal) => Promise.all(ids.map(async (id): Promise<Loaded> => {
    const job = await getJob(id, signal);
    return { job, series: await getSeries(id, undefined, signal).catch(() => []) };
  })), (event) => ids.includes(event.job) && event.kind === 'state');
  const baselineId = Number(query.get('baseline')) || ids[0];
  const [onlyDifferent, setOnlyDifferent] = useState(true);
  const [options, setOptions] = useState<ChartOptions>({ log: false, smoothing: 0, x: 'step' });
  const x = data && !data.some((each) => hasSteps(each.series)) && options.x === 'step' ? 'time' : options.x;
  const charts = useMemo(() => {
    if (!data) return [];
    const names = [...new Set(data.flatMap((each) => each.series.map((one) => one.name)).filter(isCurve))];
    return names.map((name) => ({
      name,
      curves: data.flatMap((each, at) => {
        const series = each.series.filter((one) => one.name === name).sort((a, b) => a.rank - b.rank)[0];
        return series ? [curveOf(series, `#${each.job.id} ${each.job.name}`, colours[at % colours.length]!, x, each.job.attempts.at(-1)?.started_ms ?? 0)] : [];
      }),
    }));
  }, [data, x]);
  if (ids.length === 0) return <Page title={t('nav.compare')} note={t('compare.note')}><Card><Empty icon="compare"><p>{t('compare.none')}</p></Empty><Picker ids={ids} /></Card></Page>;
  if (error && !data) return <ErrorBox error={error} retry={reload} />;
  if (!data) return <Loading />;
  const baseline = data.find((each) => each.job.id === baselineId) ?? data[0]!;
  const specs = data.map((each) => flatten(each.job.spec));
  const rows = [...new Set(specs.flatMap((spec) => [...spec.keys()]))].map((name) => ({ name, values: specs.map((spec) => spec.get(name)) }));
  const differs = (values: (string | undefined)[]) => values.some((value) => value !== values[0]);
  return (
    <Page title={t('nav.compare')} note={t('compare.note')}>
      <Picker ids={ids} />
      <Card title={t('compare.results')} extra={<label class="inline"><input type="checkbox" checked={onlyDifferent} onChange={(event) => setOnlyDifferent(event.currentTarget.checked)} />{t('compare.onlyDifferent')}</label>}>
        <div class="scroll-x">
          <table class="compare">
            <thead>
              <tr><th />{data.map(({ job }, at) => (
                <th key={job.id} scope="col">
                  <span class="swatch" style={{ background: colours[at % colours.length] }} /><a href={`/jobs/${job.id}`}>{job.name}</a> <small>#{job.id}</small>
                  <div class="compare-head"><StatePill state={job.state} />
                    <label class="inline"><input type="radio" name="baseline" checked={job.id === baseline.job.id} onChange={() => navigate(withQuery({ baseline: job.id }), true)} />{t('compare.baseline')}</label>
                    <a class="button ghost square" href={withQuery({ ids: ids.filter((id) => id !== job.id).join(',') })} aria-label={t('compare.remove', { id: job.id })}>✕</a>
                  </div>
                </th>
              ))}</tr>
            </thead>
            <tbody>
              <Results all={data} baseline={baseline} />
              {rows.filter(({ values }) => !onlyDifferent || differs(values)).map(({ name, values }) => (
                <tr key={name} class={differs(values) ? 'differs' : ''}><th scope="row">{name}</th>{values.map((value, at) => <td key={data[at]!.job.id}>{value ?? '–'}</td>)}</tr>
              ))}
            </tbody>
          </table>
        </div>
        {data.length === 1 && <p class="dim quiet">{t('compare.addOne')}</p>}
      </Card>
      {charts.length > 0 && (
        <Card title={t('job.curves')}>
          <ChartControls options={{ ...options, x }} onChange={setOptions} />
          <div class="charts">{charts.map(({ name, curves }) => <LineChart key={name} title={name} curves={curves} options={{ ...options, x }} sync="compare" />)}</div>
        </Card>
      )}
      {data.some((each) => !isOver(each.job.state)) && <p class="dim">{t('compare.running')}</p>}
    </Page>
  );
}
