// Buckets and what is in them: browse, upload, preview, download, delete.
import { useEffect, useRef, useState } from 'preact/hooks';
import { listBuckets, listObjects, makeBucket, makeLink, objectAddress, putObject, readObject, removeBucket, removeObject, type Listing, type StoredObject } from '../api/buckets';
import { useResource } from '../api/resource';
import { Icon } from '../components/icons';
import { Preview } from '../components/preview';
import { Ago, Button, Card, Confirm, CopyButton, Dialog, Empty, ErrorBox, Loading, Page, messageOf, toast } from '../components/ui';
import { formatBytes, formatDuration } from '../format';
import { t, tn } from '../i18n';
import { filesOfDrop, filesOfInput, type CodeFile } from '../job/upload';
import { parseLine, textOf } from '../log/ansi';
import { navigate, useLocation } from '../router';

const shownKey = (key: string) => textOf(parseLine(key).pieces);
const address = (bucket: string, prefix = '') => `/buckets?bucket=${encodeURIComponent(bucket)}${prefix ? `&prefix=${encodeURIComponent(prefix)}` : ''}`;

function NewBucket({ onDone }: { onDone: (name?: string) => void }) {
  const [name, setName] = useState('');
  return (
    <Confirm title={t('buckets.new')} look="primary" action={t('buckets.create')} onDone={() => onDone()} run={async () => { await makeBucket(name); onDone(name); }}>
      <label class="field"><span class="field-label">{t('jobs.name')}</span><input type="text" autofocus value={name} spellcheck={false} onInput={(event) => setName(event.currentTarget.value)} /><span class="field-hint">{t('buckets.nameHint')}</span></label>
    </Confirm>
  );
}

function Buckets() {
  const { data, error, reload } = useResource('buckets', listBuckets);
  const [making, setMaking] = useState(false);
  const [removing, setRemoving] = useState('');
  if (error && !data) return <ErrorBox error={error} retry={reload} />;
  if (!data) return <Loading />;
  return (
    <Page title={t('nav.buckets')} note={t('buckets.note')} actions={<Button look="primary" icon="plus" onClick={() => setMaking(true)}>{t('buckets.new')}</Button>}>
      <Card>
        {data.length === 0 ? <Empty icon="buckets"><p>{t('buckets.none')}</p></Empty> : (
          <table>
            <thead><tr><th>{t('jobs.name')}</th><th>{t('jobs.created')}</th><th /></tr></thead>
            <tbody>{data.map((bucket) => (
              <tr key={bucket.name}>
                <td><a class="key" href={address(bucket.name)}><Icon name="buckets" size={16} />{bucket.name}</a></td><td class="dim"><Ago ms={bucket.created_ms} /></td>
                <td class="row-actions"><CopyButton text={`s3://${bucket.name}/`} /><Button look="ghost" icon="trash" aria-label={t('buckets.removeBucket', { name: bucket.name })} onClick={() => setRemoving(bucket.name)} /></td>
              </tr>
            ))}</tbody>
          </table>
        )}
      </Card>
      {making && <NewBucket onDone={(name) => { setMaking(false); if (name) navigate(address(name)); }} />}
      {removing && <Confirm title={t('buckets.removeBucket', { name: removing })} action={t('job.remove')} onDone={() => { setRemoving(''); reload(); }} run={() => removeBucket(removing)}><p>{t('buckets.removeBucketAsk')}</p></Confirm>}
    </Page>
  );
}

function Crumbs({ bucket, prefix }: { bucket: string; prefix: string }) {
  const parts = prefix.split('/').slice(0, -1);
  return (
    <p class="crumbs"><a href="/buckets">{t('nav.buckets')}</a> / <a href={address(bucket)}>{bucket}</a>{parts.map((part, at) => <span key={at}> / <a href={address(bucket, `${parts.slice(0, at + 1).join('/')}/`)}>{shownKey(part)}</a></span>)}</p>
  );
}

const linkTimes = [3600, 86400, 604800];

// A link that works without a sign-in until it expires.
function ShareLink({ bucket, object }: { bucket: string; object: StoredObject }) {
  const [seconds, setSeconds] = useState(linkTimes[0]!);
  const [url, setUrl] = useState('');
  useEffect(() => setUrl(''), [seconds, object.key]);
  return (
    <div class="toolbar">
      <label class="inline">{t('buckets.linkFor')}
        <select value={seconds} onChange={(event) => setSeconds(Number(event.currentTarget.value))}>{linkTimes.map((each) => <option key={each} value={each}>{formatDuration(each * 1000)}</option>)}</select>
      </label>
      <Button icon="link" onClick={() => makeLink(bucket, object.key, seconds).then(setUrl, (error: Error) => toast(messageOf(error)))}>{t('buckets.makeLink')}</Button>
      {url && <span class="path share"><code>{url}</code><CopyButton text={url} /></span>}
    </div>
  );
}

interface Upload {
  done: number;
  all: number;
  left: number;
  abort: AbortController;
}

function useUpload(bucket: string, prefix: string, finished: () => void) {
  const [state, setState] = useState<Upload>();
  const run = async ({ name, files }: { name: string; files: CodeFile[] }) => {
    if (files.length === 0) return;
    const abort = new AbortController();
    const all = files.reduce((sum, each) => sum + each.file.size, 0);
    let done = 0;
    setState({ done, all, left: files.length, abort });
    try {
      for (const [at, { path, file }] of files.entries()) {
        await putObject(bucket, prefix + (name ? `${name}/` : '') + path, file, (sent) => setState({ done: done + sent, all, left: files.length - at, abort }), abort.signal);
        done += file.size;
      }
      toast(tn('buckets.sent', files.length));
    } catch (error) {
      if (!abort.signal.aborted) toast(messageOf(error as Error));
    }
    setState(undefined);
    finished();
  };
  useEffect(() => () => state?.abort.abort(), []);
  return { state, run };
}

function Objects({ bucket, prefix }: { bucket: string; prefix: string }) {
  const { data, error, reload } = useResource(`objects ${bucket} ${prefix}`, (signal) => listObjects(bucket, prefix, '', signal));
  const [more, setMore] = useState<Listing[]>([]);
  useEffect(() => setMore([]), [data]);
  const [shown, setShown] = useState<StoredObject>();
  const [removing, setRemoving] = useState<StoredObject>();
  const [over, setOver] = useState(false);
  const upload = useUpload(bucket, prefix, reload);
  const input = useRef<HTMLInputElement>(null);
  if (error && !data) return <ErrorBox error={error} retry={reload} />;
  if (!data) return <Loading />;
  const pages = [data, ...more];
  const { next } = pages.at(-1)!;
  const folders = pages.flatMap((page) => page.folders);
  const objects = pages.flatMap((page) => page.objects);
  return (
    <div class={`drop-page ${over ? 'over' : ''}`} onDragOver={(event) => { event.preventDefault(); setOver(true); }} onDragLeave={(event) => { if (event.currentTarget === event.target) setOver(false); }}
      onDrop={(event) => { event.preventDefault(); setOver(false); if (event.dataTransfer) void filesOfDrop(event.dataTransfer).then(upload.run); }}>
      <Crumbs bucket={bucket} prefix={prefix} />
      <Page title={prefix ? shownKey(prefix.split('/').at(-2)!) : bucket} note={<><code>s3://{bucket}/{shownKey(prefix)}</code> <CopyButton text={`s3://${bucket}/${prefix}`} /></>}
        actions={<Button look="primary" icon="upload" onClick={() => input.current?.click()}>{t('buckets.upload')}</Button>}>
        <input ref={input} type="file" multiple hidden aria-hidden="true" tabIndex={-1} onChange={(event) => { if (event.currentTarget.files) void upload.run(filesOfInput(event.currentTarget.files)); event.currentTarget.value = ''; }} />
        {upload.state && (
          <div class="notice upload" role="status">
            <span class="spinner" /><div>{t('new.uploading', { done: formatBytes(upload.state.done), all: formatBytes(upload.state.all) })} · {tn('buckets.left', upload.state.left)}
              <progress value={upload.state.done} max={upload.state.all || 1} /></div>
            <Button onClick={() => upload.state!.abort.abort()}>{t('common.cancel')}</Button>
          </div>
        )}
        <Card>
          {folders.length + objects.length === 0 ? <Empty icon="folder"><p>{t('buckets.empty')}</p><p class="dim">{t('buckets.dropHere')}</p></Empty> : (
            <div class="scroll-x">
              <table class="objects">
                <thead><tr><th>{t('jobs.name')}</th><th>{t('buckets.size')}</th><th>{t('buckets.changed')}</th><th /></tr></thead>
                <tbody>
                  {folders.map((folder) => <tr key={folder}><td colSpan={4}><a class="key" href={address(bucket, folder)}><Icon name="folder" size={16} />{shownKey(folder.slice(prefix.length))}</a></td></tr>)}
                  {objects.map((object) => (
                    <tr key={object.key}>
                      <td><button type="button" class="key" onClick={() => setShown(object)}><Icon name="file" size={16} />{shownKey(object.key.slice(prefix.length))}</button></td>
                      <td>{formatBytes(object.size)}</td><td class="dim"><Ago ms={object.mtime_ms} /></td>
                      <td class="row-actions">
                        <a class="button ghost square" href={objectAddress(bucket, object.key)} download={object.key.split('/').at(-1)} aria-label={t('buckets.download', { name: shownKey(object.key) })}><Icon name="download" size={16} /></a>
                        <Button look="ghost" icon="trash" aria-label={t('buckets.removeObject', { name: shownKey(object.key) })} onClick={() => setRemoving(object)} />
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )}
          {next && <p class="quiet"><Button onClick={async () => { const page = await listObjects(bucket, prefix, next); setMore([...more, page]); }}>{t('buckets.more')}</Button></p>}
        </Card>
      </Page>
      {shown && (
        <Dialog wide title={shownKey(shown.key.slice(prefix.length))} onClose={() => setShown(undefined)}>
          <p class="dim"><code>s3://{bucket}/{shownKey(shown.key)}</code> <CopyButton text={`s3://${bucket}/${shown.key}`} /> {formatBytes(shown.size)}</p>
          <Preview id={`${bucket}/${shown.key}`} name={shown.key} read={(limit, signal) => readObject(bucket, shown.key, limit, signal)} />
          <ShareLink bucket={bucket} object={shown} />
          <footer class="dialog-actions"><a class="button" href={objectAddress(bucket, shown.key)} download={shown.key.split('/').at(-1)}><Icon name="download" size={16} />{t('common.download')}</a></footer>
        </Dialog>
      )}
      {removing && <Confirm title={t('buckets.removeObject', { name: shownKey(removing.key) })} action={t('job.remove')} onDone={() => { setRemoving(undefined); reload(); }} run={() => removeObject(bucket, removing.key)}><p>{t('buckets.removeAsk')}</p></Confirm>}
    </div>
  );
}

export default function BucketsPage() {
  const { query } = useLocation();
  const bucket = query.get('bucket');
  return bucket ? <Objects key={`${bucket} ${query.get('prefix')}`} bucket={bucket} prefix={query.get('prefix') ?? ''} /> : <Buckets />;
}
