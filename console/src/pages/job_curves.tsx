// The curves of one job: a chart for each measured name, a line for each rank.
import { useMemo, useState } from 'preact/hooks';
import { useResource } from '../api/resource';
import { getSeries, isCurve } from '../api/series';
import { isOver, type Job } from '../api/types';
import { curveOf, hasSteps } from '../charts/curves';
import { ChartControls, colours, LineChart, type ChartOptions } from '../charts/line';
import { Empty, ErrorBox, Loading } from '../components/ui';
import { t } from '../i18n';

export default function JobCurves({ job }: { job: Job }) {
  const attempt = job.attempts.at(-1);
  // Values are no events: the progress of the job page, which is asked for regularly, tells of new ones.
  const mark = isOver(job.state) ? 'over' : JSON.stringify(job.progress?.values ?? {});
  const { data, error } = useResource(`series ${job.id} ${attempt?.number} ${mark}`, (signal) => getSeries(job.id, attempt?.number, signal));
  const [kept, setKept] = useState<NonNullable<typeof data>>();
  if (data && kept !== data) setKept(data);
  const series = data ?? kept;
  const [options, setOptions] = useState<ChartOptions>({ log: false, smoothing: 0, x: 'step' });
  const x = series && !hasSteps(series) && options.x === 'step' ? 'time' : options.x;
  const charts = useMemo(() => {
    const names = [...new Set(series?.map((each) => each.name).filter(isCurve))];
    const begin = attempt?.started_ms ?? 0;
    return names.map((name) => {
      const lines = series!.filter((each) => each.name === name);
      return { name, curves: lines.map((each, at) => curveOf(each, lines.length > 1 ? `${t('job.rank')} ${each.rank}` : name, colours[at % colours.length]!, x, begin)) };
    });
  }, [series, x]);
  if (error && !series) return <ErrorBox error={error} />;
  if (!series) return <Loading />;
  if (charts.length === 0) return <Empty icon="compare"><p>{t('curves.none')}</p><p class="dim">{t('curves.noneHint')}</p><pre>{'print(f"epoch {epoch} step {step} loss {loss:.4f}")'}</pre></Empty>;
  return (
    <>
      <ChartControls options={{ ...options, x }} onChange={setOptions} />
      <div class="charts">{charts.map(({ name, curves }) => <LineChart key={name} title={name} curves={curves} options={{ ...options, x }} sync={`job-${job.id}`} />)}</div>
    </>
  );
}
