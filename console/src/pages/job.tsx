// One job: what it does now, why it failed, its ranks, logs, curves, events, plan and file.
import { useEffect, useMemo, useState } from 'preact/hooks';
import { get } from '../api/client';
import { eventsOf, getJob, removeJob, rerunJob, stopJob } from '../api/jobs';
import { useResource } from '../api/resource';
import { isOver, type Attempt, type Job, type JobEvent, type Rank, type Why } from '../api/types';
import { Icon } from '../components/icons';
import { lazy } from '../components/lazy';
import { Ago, Button, Card, Confirm, CopyButton, Elapsed, ErrorBox, Facts, Loading, StatePill, Tabs, toast, useNow } from '../components/ui';
import { formatBytes, formatClock, formatDate, formatDuration } from '../format';
import { t, tn, tOr } from '../i18n';
import { segmentsOf, type Segment } from '../job/timeline';
import { navigate, useLocation } from '../router';

const JobLogs = lazy<{ job: Job }>(() => import('./job_logs'));
const JobCurves = lazy<{ job: Job }>(() => import('./job_curves'));
const JobFiles = lazy<{ job: Job }>(() => import('./job_files'));
const JobPlan = lazy<{ job: Job }>(() => import('./job_plan'));
const JobFile = lazy<{ job: Job }>(() => import('./job_file'));

export type RankState = 'waiting' | 'running' | 'ok' | 'failed' | 'stopped';
export function rankState(rank: Rank): RankState {
  if (!rank.exit) return rank.started_ms > 0 && !rank.ended_ms ? 'running' : 'waiting';
  if (rank.exit.class === 'succeeded') return 'ok';
  return rank.exit.class === 'stopped' ? 'stopped' : 'failed';
}

function exitText(rank: Rank): string {
  const { exit } = rank;
  if (!exit) return t(`rank.${rankState(rank)}`);
  const words = [tOr(`exit.${exit.class}`, exit.class)];
  if (exit.code) words.push(t('exit.withCode', { code: exit.code }));
  if (exit.signal_name) words.push(exit.signal_name);
  if (exit.detail) words.push(exit.detail);
  return words.join(' · ');
}

function Activity({ job, why }: { job: Job; why: Why | undefined }) {
  const now = useNow(!isOver(job.state));
  const attempt = job.attempts.at(-1);
  const ran = attempt?.started_ms ? formatDuration((job.ended_ms || now) - attempt.started_ms) : '';
  const nodes = [...new Set(attempt?.allocation.nodes.map((node) => node.node) ?? [])];
  const where = nodes.length > 3 ? tn('nodes.count', nodes.length) : nodes.join(', ');
  switch (job.state) {
    case 'queued':
      return (
        <>
          {t('activity.queued', { time: formatDuration(now - job.created_ms) })}{why && why.position > 0 && ` · ${t('activity.position', { n: why.position })}`}
          {why?.text && <p class="dim">{why.text}{why.way_out && ` ${why.way_out}`}</p>}
        </>
      );
    case 'starting': return <>{t('activity.starting', { where })}</>;
    case 'running': return <>{job.progress?.text ? <b class="progress-text">{job.progress.text}</b> : t('activity.running', { where })}<span class="dim"> · {t('activity.for', { time: ran })}</span></>;
    case 'stopping': return <><span class="spinner" /> {t('activity.stopping')}{job.reason && <span class="dim"> · {job.reason}</span>}</>;
    case 'succeeded': return <>{t('activity.succeeded', { time: ran || formatDuration(job.ended_ms - job.created_ms) })}{job.progress?.text && <span class="dim"> · {job.progress.text}</span>}</>;
    case 'failed': return <>{ran ? t('activity.failedAfter', { time: ran }) : t('activity.failed')}{!job.verdict && job.reason && <span class="dim"> · {job.reason}</span>}</>;
    case 'stopped': return <>{ran ? t('activity.stoppedAfter', { time: ran }) : t('activity.stopped')}{job.reason && <span class="dim"> · {job.reason}</span>}</>;
  }
}

function VerdictCard({ job }: { job: Job }) {
  const { verdict } = job;
  if (!verdict) return null;
  return (
    <section class="verdict" aria-label={t('verdict.title')}>
      <header><Icon name="warn" size={20} /><h2>{verdict.headline}</h2></header>
      {verdict.cause && <p><span class="tag bad">{tOr(`cause.${verdict.cause}`, verdict.cause)}</span>{verdict.retry_makes_sense && <span class="tag">{t('verdict.retry')}</span>}</p>}
      {verdict.evidence.length > 0 && <pre class="evidence">{verdict.evidence.join('\n')}</pre>}
      <p class="advice"><b>{t('verdict.next')}</b> {verdict.advice}</p>
      <div class="actions">
        {verdict.rank !== null && <a class="button" href={`/jobs/${job.id}?tab=logs&rank=${verdict.rank}`}>{t('verdict.log', { rank: verdict.rank })}</a>}
        <a class="button" href={`/new?from=${job.id}`}>{t('job.edit')}</a>
      </div>
    </section>
  );
}

function SegmentView({ segment, now }: { segment: Segment; now: number }) {
  const ms = (segment.endMs || now) - segment.beginMs;
  const label = `${t(`phase.${segment.phase}`)} ${formatDuration(ms)}`;
  return <div class={`segment ${segment.phase}`} style={{ flexGrow: Math.max(ms, 1) }} title={`${label}\n${formatDate(segment.beginMs)}`}><span>{label}</span></div>;
}

function TimeLine({ job, events }: { job: Job; events: JobEvent[] }) {
  const now = useNow(!isOver(job.state));
  const attempts = useMemo(() => segmentsOf(events, job), [events, job]);
  return (
    <div class="timeline" role="img" aria-label={t('job.timeline')}>
      {attempts.map(({ attempt, segments }) => (
        <div key={attempt} class="track">
          {attempts.length > 1 && <span class="track-name">{t('job.attempt')} {attempt}</span>}
          <div class="segments">{segments.map((segment) => <SegmentView key={segment.beginMs + segment.phase} segment={segment} now={now} />)}</div>
        </div>
      ))}
    </div>
  );
}

function RankGrid({ job, attempt }: { job: Job; attempt: Attempt }) {
  const nodes = attempt.allocation.nodes;
  const byNode = (index: number) => attempt.ranks.filter((rank) => rank.node === index);
  const compact = attempt.ranks.length > 64;
  return (
    <div class={`rank-grid ${compact ? 'compact' : ''}`}>
      {nodes.map((node) => (
        <div key={node.index} class="rank-node">
          <div class="rank-node-name"><b>{node.node}</b><small>{node.devices.length ? `${node.kind} ${node.devices.join(', ')}` : node.kind}{node.role !== 'worker' && ` · ${node.role}`}</small></div>
          <div class="rank-cells">
            {byNode(node.index).map((rank) => (
              <a key={rank.rank} class={`rank-cell ${rankState(rank)}`} href={`/jobs/${job.id}?tab=logs&rank=${rank.rank}&attempt=${attempt.number}`} data-keep-scroll
                title={`${t('job.rank')} ${rank.rank} · ${exitText(rank)}${rank.exit?.peak_rss ? ` · ${formatBytes(rank.exit.peak_rss)}` : ''}`}
                aria-label={`${t('job.rank')} ${rank.rank}: ${exitText(rank)}`}>{rank.rank}</a>
            ))}
          </div>
        </div>
      ))}
    </div>
  );
}

function EventText({ event }: { event: JobEvent }) {
  const { from, to, reason, event: what, attempt, ...rest } = event.data as Record<string, string | number | undefined>;
  if (event.kind === 'state')
    return <>{t('events.state', { from: tOr(`state.${from}`, String(from)), to: tOr(`state.${to}`, String(to)) })}{what && <small class="dim"> {String(what)}</small>}{reason && <p class="dim">{reason}</p>}</>;
  const words = Object.entries({ ...rest, ...(what ? { event: what } : {}), ...(reason ? { reason } : {}), ...(attempt ? { attempt } : {}) })
    .map(([name, value]) => `${name} ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`);
  return <>{tOr(`events.${event.kind}`, event.kind)}<small class="dim"> {words.join(' · ')}</small></>;
}

function Events({ events }: { events: JobEvent[] }) {
  return (
    <ol class="events">
      {[...events].reverse().map((event) => (
        <li key={event.seq}><time title={formatDate(event.wall_ms)}>{formatClock(event.wall_ms)}</time><span class={`dot ${event.kind === 'state' ? String(event.data.to) : ''}`} /><div><EventText event={event} /></div></li>
      ))}
    </ol>
  );
}

function RankTable({ job, attempt }: { job: Job; attempt: Attempt }) {
  return (
    <div class="scroll-x">
      <table>
        <thead><tr><th>{t('job.rank')}</th><th>{t('job.node')}</th><th>{t('job.role')}</th><th>PID</th><th>{t('jobs.state')}</th><th>{t('jobs.duration')}</th><th>{t('rank.cpu')}</th><th>{t('rank.memory')}</th></tr></thead>
        <tbody>
          {attempt.ranks.map((rank) => (
            <tr key={rank.rank}>
              <td><a href={`/jobs/${job.id}?tab=logs&rank=${rank.rank}`} data-keep-scroll>{rank.rank}</a></td>
              <td>{attempt.allocation.nodes[rank.node]?.node}</td><td>{rank.role}</td><td>{rank.pid || '–'}</td>
              <td><span class={`dot ${rankState(rank)}`} /> {exitText(rank)}</td>
              <td><Elapsed from={rank.started_ms} to={rank.ended_ms || (isOver(job.state) ? job.ended_ms : 0)} /></td>
              <td>{rank.exit?.cpu_ms ? formatDuration(rank.exit.cpu_ms) : '–'}</td><td>{rank.exit?.peak_rss ? formatBytes(rank.exit.peak_rss) : '–'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

type Ask = 'stop' | 'rerun' | 'remove';

function Actions({ job, reload }: { job: Job; reload: () => void }) {
  const [asking, setAsking] = useState<Ask>();
  const over = isOver(job.state);
  const run = async () => {
    if (asking === 'stop') await stopJob(job.id);
    if (asking === 'remove') {
      await removeJob(job.id);
      toast(t('job.removed', { id: job.id }));
      navigate('/jobs');
      return;
    }
    if (asking === 'rerun') {
      const { jobs } = await rerunJob(job.id);
      toast(t('job.resubmitted', { id: jobs[0]!.id }));
      navigate(`/jobs/${jobs[0]!.id}`);
      return;
    }
    reload();
  };
  return (
    <div class="actions">
      {!over && <Button look="danger" icon="stop" disabled={job.state === 'stopping'} busy={job.state === 'stopping'} onClick={() => setAsking('stop')}>{t(job.state === 'stopping' ? 'state.stopping' : 'job.stop')}</Button>}
      <Button icon="rerun" look={over ? 'primary' : 'plain'} onClick={() => setAsking('rerun')}>{t('job.rerun')}</Button>
      <a class="button" href={`/new?from=${job.id}`}>{t('job.edit')}</a>
      <a class="button" href={`/compare?ids=${job.id}`}><Icon name="compare" size={16} /><span>{t('nav.compare')}</span></a>
      {over && <Button icon="trash" onClick={() => setAsking('remove')} title={t('job.remove')} aria-label={t('job.remove')} />}
      {asking && (
        <Confirm title={t(`job.${asking}Title`, { id: job.id, name: job.name })} look={asking === 'rerun' ? 'primary' : 'danger'} action={t(`job.${asking}`)} onDone={() => setAsking(undefined)} run={run}>
          <p>{t(`job.${asking}Ask`)}</p>
          {asking === 'rerun' && <p class="dim">{t('job.rerunSame')}</p>}
        </Confirm>
      )}
    </div>
  );
}

export default function JobPage({ id }: { id: number }) {
  const { query } = useLocation();
  const mine = (event: JobEvent) => event.job === id;
  const { data: job, error, reload } = useResource(`job ${id}`, (signal) => getJob(id, signal), mine);
  const { data: events } = useResource(`events ${id}`, (signal) => eventsOf(id, signal), mine);
  const queued = job?.state === 'queued';
  const { data: why } = useResource(queued ? `why ${id}` : null, (signal) => get<Why>(`/jobs/${id}/why`, signal), (event) => event.kind === 'state');
  useProgress(job, reload);
  if (error && !job) return <ErrorBox error={error} retry={reload} />;
  if (!job) return <Loading />;
  const attempt = job.attempts.at(-1);
  const tab = query.get('tab') ?? (job.state === 'queued' ? 'events' : 'logs');
  const devices = String((job.spec.resources as Record<string, unknown> | undefined)?.devices ?? '');
  return (
    <div class="job">
      <header class="page-head">
        <div>
          <p class="crumbs"><a href="/jobs">{t('nav.jobs')}</a> / #{job.id}</p>
          <h1>{job.name} <StatePill state={job.state} /></h1>
        </div>
        <Actions job={job} reload={reload} />
      </header>
      <div class="activity" role="status"><Activity job={job} why={why} /></div>
      <VerdictCard job={job} />
      <div class="job-top">
        <Card class="grow">
          {events && <TimeLine job={job} events={events} />}
          {attempt && <RankGrid job={job} attempt={attempt} />}
          {attempt?.nodes.flatMap((node) => node.notes.map((note) => <p key={node.name + note} class="note">{node.name}: {note}</p>))}
        </Card>
        <Card>
          <Facts rows={[
            [t('jobs.framework'), job.framework],
            [t('jobs.devices'), `${(job.spec.resources as { nodes?: number } | undefined)?.nodes ?? 1} × ${devices}`],
            [t('jobs.user'), job.user && <a href={`/jobs?user=${encodeURIComponent(job.user)}`}>{job.user}</a>],
            [t('jobs.group'), job.group && <a href={`/jobs?group=${encodeURIComponent(job.group)}`}>{job.group}</a>],
            [t('jobs.created'), <Ago ms={job.created_ms} />],
            [t('job.priority'), job.priority || ''],
            [t('job.attempts'), job.attempts.length > 1 ? job.attempts.length : ''],
            ...Object.entries((job.spec.labels as Record<string, string> | undefined) ?? {}).map(([name, value]): [string, string] => [name, String(value)]),
            ...Object.entries(job.folders.outputs).map(([name, folder]): [string, preact.ComponentChildren] => [t('job.output', { name }), <span class="path"><code>{folder}</code><CopyButton text={folder} /></span>]),
            [t('job.folder'), <span class="path"><code>{job.folders.job}</code><CopyButton text={job.folders.job} /></span>],
          ]} />
        </Card>
      </div>
      <Tabs label={t('job.views')} current={tab} href={(to) => `/jobs/${id}?tab=${to}`} tabs={[
        { id: 'logs', label: t('job.logs') },
        { id: 'curves', label: t('job.curves') },
        { id: 'ranks', label: t('job.ranks'), ...(attempt ? { count: attempt.ranks.length } : {}) },
        { id: 'files', label: t('job.files') },
        { id: 'events', label: t('job.events'), ...(events ? { count: events.length } : {}) },
        { id: 'plan', label: t('job.plan') },
        { id: 'file', label: t('job.file') },
      ]} />
      <div class="tab-body">
        {tab === 'logs' && <JobLogs job={job} />}
        {tab === 'curves' && <JobCurves job={job} />}
        {tab === 'ranks' && (attempt ? <RankTable job={job} attempt={attempt} /> : <p class="dim quiet">{t('log.notYet')}</p>)}
        {tab === 'files' && <JobFiles job={job} />}
        {tab === 'events' && events && <Events events={events} />}
        {tab === 'plan' && <JobPlan job={job} />}
        {tab === 'file' && <JobFile job={job} />}
      </div>
    </div>
  );
}

// Progress is not an event of the journal: a running job is asked for it while its page can be seen.
function useProgress(job: Job | undefined, reload: () => void) {
  const running = job?.state === 'running';
  useEffect(() => {
    if (!running) return;
    const timer = setInterval(() => document.hidden || reload(), 2000);
    return () => clearInterval(timer);
  }, [running, reload]);
}
