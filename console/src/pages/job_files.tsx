// The files that a job has written to its outputs: browse, preview, download.
import { get, query, request } from '../api/client';
import { useResource } from '../api/resource';
import { isOver, type Job } from '../api/types';
import { Icon } from '../components/icons';
import { Preview } from '../components/preview';
import { Ago, Card, CopyButton, Dialog, Empty, ErrorBox, Loading } from '../components/ui';
import { formatBytes } from '../format';
import { t } from '../i18n';
import { parseLine, textOf } from '../log/ansi';
import { navigate, useLocation, withQuery } from '../router';

interface Output {
  name: string;
  folder: string;
}
interface Entry {
  name: string;
  folder: boolean;
  size: number;
  mtime_ms: number;
}

const shownName = (name: string) => textOf(parseLine(name).pieces);

export default function JobFiles({ job }: { job: Job }) {
  const { query: here } = useLocation();
  const output = here.get('output') ?? '';
  const path = here.get('path') ?? '';
  const file = here.get('file');
  const base = `/console/jobs/${job.id}`;
  const { data: outputs } = useResource(`outputs ${job.id}`, (signal) => get<{ outputs: Output[] }>(`${base}/outputs`, signal).then((answer) => answer.outputs));
  const { data, error, reload } = useResource(`files ${job.id} ${output} ${path}`, (signal) => get<{ entries: Entry[]; truncated: boolean }>(`${base}/files${query({ output, path })}`, signal), (event) => event.job === job.id);
  if (error && !data) return <ErrorBox error={error} retry={reload} />;
  if (!data || !outputs) return <Loading />;
  const folder = outputs.find((each) => each.name === output)?.folder ?? '';
  const inside = (name: string) => (path ? `${path}/${name}` : name);
  const address = (name: string) => `/api/v1${base}/file${query({ output, path: inside(name) })}`;
  const parts = path ? path.split('/') : [];
  return (
    <>
      {outputs.length > 1 && (
        <nav class="chips toolbar" aria-label={t('files.outputs')}>
          {outputs.map((each) => <a key={each.name} class="chip" data-keep-scroll aria-current={each.name === output ? 'true' : undefined} href={withQuery({ output: each.name, path: '', file: '' })}>{each.name || t('files.all')}</a>)}
        </nav>
      )}
      <p class="crumbs file-path">
        <a data-keep-scroll href={withQuery({ path: '', file: '' })}><code>{folder}</code></a>
        {parts.map((part, at) => <span key={at}> / <a data-keep-scroll href={withQuery({ path: parts.slice(0, at + 1).join('/'), file: '' })}>{shownName(part)}</a></span>)} <CopyButton text={path ? `${folder}/${path}` : folder} />
      </p>
      <Card>
        {data.entries.length === 0 ? <Empty icon="folder"><p>{t(isOver(job.state) ? 'files.none' : 'files.notYet')}</p><p class="dim">{t('files.hint')} <code>$MUSTER_OUTPUT_DIR</code></p></Empty> : (
          <div class="scroll-x">
            <table class="objects">
              <thead><tr><th>{t('jobs.name')}</th><th>{t('buckets.size')}</th><th>{t('buckets.changed')}</th><th /></tr></thead>
              <tbody>{data.entries.map((entry) => (
                <tr key={entry.name}>
                  <td>{entry.folder ? <a class="key" data-keep-scroll href={withQuery({ path: inside(entry.name) })}><Icon name="folder" size={16} />{shownName(entry.name)}</a>
                    : <button type="button" class="key" onClick={() => navigate(withQuery({ file: entry.name }))}><Icon name="file" size={16} />{shownName(entry.name)}</button>}</td>
                  <td>{entry.folder ? '' : formatBytes(entry.size)}</td><td class="dim"><Ago ms={entry.mtime_ms} /></td>
                  <td class="row-actions">{!entry.folder && <a class="button ghost square" href={address(entry.name)} download={entry.name} aria-label={t('buckets.download', { name: shownName(entry.name) })}><Icon name="download" size={16} /></a>}</td>
                </tr>
              ))}</tbody>
            </table>
          </div>
        )}
        {data.truncated && <p class="dim quiet">{t('files.truncated', { n: data.entries.length })}</p>}
      </Card>
      {file && (
        <Dialog wide title={shownName(file)} onClose={() => navigate(withQuery({ file: '' }))}>
          <Preview id={`${job.id} ${output} ${path} ${file}`} name={file} read={async (limit, signal) => {
            const response = await request(`${base}/file${query({ output, path: inside(file), limit })}`, { signal });
            return { bytes: new Uint8Array(await response.arrayBuffer()), size: Number(response.headers.get('X-Muster-Size')) };
          }} />
          <footer class="dialog-actions"><a class="button" href={address(file)} download={file}><Icon name="download" size={16} />{t('common.download')}</a></footer>
        </Dialog>
      )}
    </>
  );
}
