// The machines: devices, addresses, and the jobs on them.
import { getNodes } from '../api/jobs';
import { useResource } from '../api/resource';
import { DeviceGrid } from '../components/devices';
import { Card, ErrorBox, Facts, Loading, Page } from '../components/ui';
import { t, tn } from '../i18n';

export default function Nodes() {
  const { data, error, reload } = useResource('nodes', getNodes, (event) => event.kind === 'state');
  if (error && !data) return <ErrorBox error={error} retry={reload} />;
  if (!data) return <Loading />;
  return (
    <Page title={t('nav.nodes')} note={tn('nodes.count', data.length)}>
      <div class="cards">
        {data.map((node) => (
          <Card key={node.name}>
            <DeviceGrid node={node} />
            <Facts rows={[
              [t('nodes.address'), <code>{node.address}</code>],
              [t('nodes.model'), [...new Set(Object.values(node.devices).map((use) => use.model).filter(Boolean))].join(', ')],
              [t('nodes.jobs'), node.jobs.length ? node.jobs.map((id) => <a key={id} class="chip" href={`/jobs/${id}`}>#{id}</a>) : t('nodes.idle')],
            ]} />
          </Card>
        ))}
      </div>
    </Page>
  );
}
