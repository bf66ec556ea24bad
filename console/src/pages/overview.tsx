// What the machines do now: devices, running and waiting jobs, recent failures.
import { getNodes, listJobs } from '../api/jobs';
import { useResource } from '../api/resource';
import type { JobRow, NodeInfo } from '../api/types';
import { DeviceGrid, deviceTotals } from '../components/devices';
import { Ago, Bar, Card, Elapsed, Empty, ErrorBox, Loading, Page, StatePill } from '../components/ui';
import { t, tn } from '../i18n';

function load(signal: AbortSignal) {
  return Promise.all([
    getNodes(signal),
    listJobs({ states: ['running', 'starting', 'stopping'], limit: 8, counts: true }, signal),
    listJobs({ states: ['queued'], limit: 8, sort: 'id' }, signal),
    listJobs({ states: ['failed'], limit: 6 }, signal),
    listJobs({ states: ['succeeded'], limit: 5 }, signal),
  ]);
}

function Totals({ nodes }: { nodes: NodeInfo[] }) {
  return (
    <div class="totals">
      {deviceTotals(nodes).map(([kind, { used, total }]) => (
        <Card key={kind} class="total">
          <div class="total-kind">{kind.toUpperCase()}</div>
          <div class="total-number"><b>{total - used}</b><span>{t('overview.freeOf', { total })}</span></div>
          <Bar part={used} whole={total} label={t('overview.usedOf', { used, total, kind })} />
        </Card>
      ))}
    </div>
  );
}

function JobLine({ job, children }: { job: JobRow; children?: preact.ComponentChildren }) {
  return (
    <li>
      <a class="job-line" href={`/jobs/${job.id}`}>
        <StatePill state={job.state} />
        <span class="job-name"><b>{job.name}</b><small>#{job.id} · {job.framework} · {job.nodes} × {job.devices}</small></span>
        <span class="job-when">{children}</span>
      </a>
      {job.reason && <p class="reason">{job.reason}</p>}
    </li>
  );
}

export default function Overview() {
  const { data, error, reload } = useResource('overview', load, (event) => event.kind === 'state' || event.kind === 'submitted');
  if (error && !data) return <ErrorBox error={error} retry={reload} />;
  if (!data) return <Loading />;
  const [nodes, running, queued, failed, done] = data;
  const counts = running.counts;
  const all = counts ? Object.values(counts).reduce((sum, n) => sum + n, 0) : 0;
  const active = counts ? counts.running + counts.starting + counts.stopping : 0;
  return (
    <Page title={t('nav.overview')} note={all > 0 ? `${tn('overview.jobs', all)} · ${t('overview.activity', { running: active, queued: counts?.queued ?? 0 })}` : undefined}
      actions={<a class="button primary" href="/new">{t('nav.new')}</a>}>
      <Totals nodes={nodes} />
      {all === 0 ? (
        <Card><Empty icon="plus"><p>{t('jobs.none')}</p><p class="dim">{t('jobs.noneHint')} <code>muster run -- echo hello</code></p><a class="button primary" href="/new">{t('nav.new')}</a></Empty></Card>
      ) : (
        <div class="columns">
          <Card title={t('overview.running')} extra={<a href="/jobs?state=active">{t('common.all')}</a>}>
            {running.jobs.length ? <ul class="lines">{running.jobs.map((job) => <JobLine key={job.id} job={job}><Elapsed from={job.started_ms || job.created_ms} to={0} /></JobLine>)}</ul>
              : <p class="dim quiet">{t('overview.noneRunning')}</p>}
          </Card>
          <Card title={t('overview.waiting')} extra={<a href="/jobs?state=queued">{t('common.all')}</a>}>
            {queued.jobs.length ? <ul class="lines">{queued.jobs.map((job) => <JobLine key={job.id} job={job}><Elapsed from={job.created_ms} to={0} /></JobLine>)}</ul>
              : <p class="dim quiet">{t('overview.noneWaiting')}</p>}
          </Card>
          <Card title={t('overview.failures')} extra={<a href="/jobs?state=failed">{t('common.all')}</a>}>
            {failed.jobs.length ? <ul class="lines">{failed.jobs.map((job) => <JobLine key={job.id} job={job}><Ago ms={job.ended_ms} /></JobLine>)}</ul>
              : <p class="dim quiet">{t('overview.noneFailed')}</p>}
          </Card>
          <Card title={t('overview.done')} extra={<a href="/jobs?state=succeeded">{t('common.all')}</a>}>
            {done.jobs.length ? <ul class="lines">{done.jobs.map((job) => <JobLine key={job.id} job={job}><Ago ms={job.ended_ms} /></JobLine>)}</ul>
              : <p class="dim quiet">{t('overview.noneDone')}</p>}
          </Card>
        </div>
      )}
      <Card title={t('nav.nodes')} extra={<a href="/nodes">{t('common.all')}</a>}>
        <div class="node-list">{nodes.slice(0, 32).map((node) => <DeviceGrid key={node.name} node={node} />)}</div>
      </Card>
    </Page>
  );
}
