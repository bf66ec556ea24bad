// A new job: a form and the job file side by side, each editing the other.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { ApiError, newKey, post, request } from '../api/client';
import { getJob, getNodes } from '../api/jobs';
import { useResource } from '../api/resource';
import type { Fault, Plan, Spec, Submitted } from '../api/types';
import { deviceTotals } from '../components/devices';
import { Editor } from '../components/editor';
import { Field, PairsField, TextInput, typed } from '../components/fields';
import { Icon } from '../components/icons';
import { PlanView } from '../components/plan';
import { Button, Card, Confirm, Dialog, ErrorBox, Page, messageOf, toast } from '../components/ui';
import { formatBytes } from '../format';
import { t } from '../i18n';
import { changedLines } from '../job/difference';
import { templates } from '../job/templates';
import { filesOfDrop, filesOfInput, uploadCode, type CodeFile } from '../job/upload';
import { preferences, setPreferences } from '../preferences';
import { navigate, useLocation } from '../router';
import { lineOfPath, readJobFile, textOfSpec, valueAt, withValue, type JobFile, type Path } from '../yaml/jobfile';

const frameworks = ['custom', 'pytorch', 'mindspore', 'paddle', 'tensorflow', 'horovod', 'mpi', 'deepspeed', 'jax', 'ray'];
const platforms = ['', 'modelarts', 'modelarts-v1', 'apulis'];
const draftKey = 'muster-draft';
const checkAfterMs = 500;

interface Code {
  name: string;
  hash: string;
  note: string;
}

const faultText = (fault: Fault) => t('new.fault', { found: fault.found, expected: fault.expected }) + (fault.hint ? ` (${fault.hint})` : '');

// What the server says about the file: nothing while it is being typed.
function useFaults(file: JobFile, hash: string | undefined): { faults: Fault[]; checking: boolean; error: Error | undefined } {
  const [state, setState] = useState<{ faults: Fault[]; checking: boolean; error: Error | undefined }>({ faults: [], checking: false, error: undefined });
  useEffect(() => {
    if (file.faults.length > 0 || !file.text.trim()) return setState({ faults: [], checking: false, error: undefined });
    let wanted = true;
    setState((old) => ({ ...old, checking: true }));
    const timer = setTimeout(async () => {
      let next: typeof state = { faults: [], checking: false, error: undefined };
      try {
        const answer = await request('/plan', { method: 'POST', body: { spec: file.spec } });
        await answer.body?.cancel(); // the plan of a large job is long, and only its faults are of use here
      } catch (error) {
        if (error instanceof ApiError && error.faults.length) next = { ...next, faults: error.faults };
        else next = { ...next, error: error as Error };
      }
      if (wanted) setState(next);
    }, checkAfterMs);
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
  }, [file.text, hash]);
  return state;
}

function CodeField({ file, code, onCode, onValue, fault }: { file: JobFile; code: Code | undefined; onCode: (code: Code | undefined) => void; onValue: (path: Path, value: unknown) => void; fault: string | undefined }) {
  const [over, setOver] = useState(false);
  const [progress, setProgress] = useState('');
  const [error, setError] = useState<Error>();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.setAttribute('webkitdirectory', ''), []);
  const take = async ({ name, files }: { name: string; files: CodeFile[] }) => {
    if (files.length === 0) return;
    setError(undefined);
    const bytes = files.reduce((sum, { file: each }) => sum + each.size, 0);
    setProgress(t('new.hashing', { n: files.length, size: formatBytes(bytes) }));
    try {
      const hash = await uploadCode(files, (done, all) => setProgress(t('new.uploading', { done: formatBytes(done), all: formatBytes(all) })));
      onCode({ name: name || t('new.files'), hash, note: t('new.uploaded', { n: files.length, size: formatBytes(bytes) }) });
      if (valueAt(file.spec, ['code']) !== undefined) onValue(['code'], undefined);
    } catch (failure) {
      setError(failure as Error);
    }
    setProgress('');
  };
  return (
    <div class="field wide">
      <span class="field-label">{t('new.code')}{valueAt(file.spec, ['platform']) === 'modelarts' && <> · <code>code_dir</code></>}</span>
      <div class={`drop ${over ? 'over' : ''}`} onDragOver={(event) => { event.preventDefault(); setOver(true); }} onDragLeave={() => setOver(false)}
        onDrop={(event) => { event.preventDefault(); setOver(false); if (event.dataTransfer) void filesOfDrop(event.dataTransfer).then(take, setError); }}>
        {progress ? <><span class="spinner" />{progress}</> : code ? (
          <><Icon name="folder" /><b>{code.name}</b><small class="dim">{code.note}</small><Button look="ghost" icon="cross" aria-label={t('new.removeCode')} onClick={() => onCode(undefined)} /></>
        ) : (
          <><Icon name="upload" /><span>{t('new.dropHere')}</span><Button onClick={() => input.current?.click()}>{t('new.chooseFolder')}</Button></>
        )}
        <input ref={input} type="file" multiple hidden aria-hidden="true" tabIndex={-1} onChange={(event) => event.currentTarget.files && void take(filesOfInput(event.currentTarget.files))} />
      </div>
      {!code && <TextInput value={String(valueAt(file.spec, ['code']) ?? '')} placeholder="obs://bucket/folder/" invalid={Boolean(fault)} onChange={(value) => onValue(['code'], value)} />}
      {fault ? <span class="field-error" role="alert">{fault}</span> : <span class="field-hint">{t('new.codeHint')}</span>}
      {error && <span class="field-error" role="alert">{messageOf(error)}</span>}
    </div>
  );
}

const asMap = (value: unknown): Record<string, unknown> => (value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : {});

function Form({ file, faults, onValue, code, onCode }: { file: JobFile; faults: Fault[]; onValue: (path: Path, value: unknown) => void; code: Code | undefined; onCode: (code: Code | undefined) => void }) {
  const { data: nodes } = useResource('nodes', getNodes, (event) => event.kind === 'state');
  const at = (...path: Path) => valueAt(file.spec, path);
  const text = (...path: Path) => {
    const value = at(...path);
    return Array.isArray(value) ? value.map(String).join(' ') : value === undefined || value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);
  };
  const faultOf = (path: string) => {
    const fault = faults.find((each) => each.path === path || each.path.startsWith(`${path}[`));
    return fault && faultText(fault);
  };
  const faultsBelow = (path: string) => new Map(faults.filter((each) => each.path.startsWith(`${path}.`)).map((each) => [each.path.slice(path.length + 1).split('.')[0]!, faultText(each)]));
  const modelarts = String(at('platform') ?? '').startsWith('modelarts');
  const old = (name: string) => (modelarts ? ` · ${name}` : '');
  const input = (label: string, path: Path, more: { placeholder?: string; hint?: string; number?: boolean; list?: string[]; wide?: boolean; multiline?: boolean } = {}) => {
    const fault = faultOf(path.join('.'));
    return (
      <Field label={label} hint={more.hint} fault={fault} {...(more.wide ? { wide: true } : {})}>
        <TextInput value={text(...path)} invalid={Boolean(fault)} onChange={(value) => onValue(path, more.multiline ? value : typed(value))} {...more} />
      </Field>
    );
  };
  const devices = text('resources', 'devices') || 'cpu:1';
  const [kind = 'cpu', count = '1'] = devices.split(':');
  const nodeCount = Number(at('resources', 'nodes') ?? 1) || 1;
  const totals = deviceTotals(nodes ?? []);
  const offered = totals.find(([name]) => name === kind)?.[1];
  const need = nodeCount * (Number(count) || 0);
  const other = at('roles') !== undefined || at('sweep') !== undefined;
  return (
    <div class="form-grid">
      <h2>{t('new.what')}</h2>
      {input(t('jobs.name') + old('job_name'), ['name'], { placeholder: t('new.fromCode') })}
      <Field label={t('jobs.framework')} fault={faultOf('framework')}>
        <select value={text('framework') || 'custom'} onChange={(event) => onValue(['framework'], event.currentTarget.value === 'custom' ? undefined : event.currentTarget.value)}>
          {frameworks.map((each) => <option key={each} value={each}>{each}</option>)}
        </select>
      </Field>
      <Field label={t('new.platform')} hint={t('new.platformHint')} fault={faultOf('platform')}>
        <select value={text('platform')} onChange={(event) => onValue(['platform'], event.currentTarget.value)}>
          {platforms.map((each) => <option key={each} value={each}>{each || t('new.noPlatform')}</option>)}
        </select>
      </Field>
      {input(t('new.version'), ['launch', 'version'], { placeholder: t('new.current'), hint: t('new.versionHint') })}
      <CodeField file={file} code={code} onCode={onCode} onValue={onValue} fault={faultOf('code')} />
      {input((modelarts ? t('new.bootFile') : t('new.run')) + old('boot_file'), ['run'], { placeholder: 'train.py', hint: t('new.runHint'), wide: true })}
      <PairsField label={t('new.parameters')} hint={t('new.parametersHint')} names={[t('new.name'), t('new.value')]} value={asMap(at('parameters'))} faults={faultsBelow('parameters')} onChange={(value) => onValue(['parameters'], value)} />

      <h2>{t('new.data')}</h2>
      <PairsField label={t('new.inputs') + old('data_url')} hint={t('new.inputsHint')} names={['data_url', 'obs://bucket/data/']} value={asMap(at('inputs'))} faults={faultsBelow('inputs')} onChange={(value) => onValue(['inputs'], value)} />
      <PairsField label={t('new.outputs') + old('train_url')} hint={t('new.outputsHint')} names={['train_url', 'obs://bucket/output/']} value={asMap(at('outputs'))} faults={faultsBelow('outputs')} onChange={(value) => onValue(['outputs'], value)} />
      {input(t('new.logs') + old('log_url'), ['logs'], { placeholder: 'obs://bucket/log/', wide: true })}

      <h2>{t('new.resources')}</h2>
      {input(t('new.nodes') + old('worker_server_num'), ['resources', 'nodes'], { number: true, placeholder: '1' })}
      <Field label={t('new.devices')} fault={faultOf('resources.devices')}>
        <span class="joined">
          <select value={kind} aria-label={t('new.kind')} onChange={(event) => onValue(['resources', 'devices'], `${event.currentTarget.value}:${count}`)}>
            {[...new Set([...totals.map(([name]) => name), 'npu', 'gpu', 'cpu', kind])].map((each) => <option key={each} value={each}>{each}</option>)}
          </select>
          <TextInput number value={count} invalid={Boolean(faultOf('resources.devices'))} onChange={(value) => onValue(['resources', 'devices'], `${kind}:${value || '0'}`)} />
        </span>
      </Field>
      <p class={`fit ${offered && need > offered.total - offered.used ? 'warn' : ''}`} role="status">
        {t('new.total', { need, kind })}{offered ? ` · ${t(need <= offered.total - offered.used ? 'new.free' : need <= offered.total ? 'new.willQueue' : 'new.tooMany', { free: offered.total - offered.used, total: offered.total })}` : nodes ? ` · ${t('new.noKind', { kind })}` : ''}
      </p>
      {input(t('new.ranks'), ['resources', 'ranks'], { number: true, placeholder: count, hint: t('new.ranksHint') })}
      {input(t('new.memory'), ['resources', 'memory'], { placeholder: t('new.noLimit') })}
      {input(t('new.time'), ['limits', 'time'], { placeholder: t('new.noLimit'), hint: '90s, 15m, 2h, 1d12h' })}
      {input(t('job.priority'), ['priority'], { number: true, placeholder: '0', hint: t('new.priorityHint') })}
      {input(t('new.retries'), ['retries'], { number: true, placeholder: '0' })}
      <Field label={t('new.preemptible')}>
        <select value={at('preemptible') === true ? 'true' : ''} onChange={(event) => onValue(['preemptible'], event.currentTarget.value ? true : undefined)}>
          <option value="">{t('common.no')}</option><option value="true">{t('common.yes')}</option>
        </select>
      </Field>

      <h2>{t('new.more')}</h2>
      <PairsField label={t('new.env')} names={[t('new.name'), t('new.value')]} value={asMap(at('env'))} faults={faultsBelow('env')} onChange={(value) => onValue(['env'], value)} />
      <PairsField label={t('new.labels')} names={[t('new.name'), t('new.value')]} value={asMap(at('labels'))} faults={faultsBelow('labels')} onChange={(value) => onValue(['labels'], value)} />
      {input(t('new.setup'), ['hooks', 'setup'], { multiline: true, wide: true, hint: t('new.setupHint') })}
      {other && <p class="note wide">{t('new.inFile')}</p>}
    </div>
  );
}

function Difference({ before, after }: { before: string; after: string }) {
  const lines = changedLines(before, after);
  if (lines.every((line) => line.kind === 'same')) return <p class="dim">{t('new.unchanged')}</p>;
  return <pre class="difference">{lines.map((line, at) => <div key={at} class={line.kind}>{line.kind === 'added' ? '+ ' : line.kind === 'removed' ? '- ' : '  '}{line.text}</div>)}</pre>;
}

export default function NewJob() {
  const { query } = useLocation();
  const from = Number(query.get('from')) || undefined;
  const { data: original, error: missing } = useResource(from ? `job ${from}` : null, (signal) => getJob(from!, signal));
  const [text, setText] = useState(() => (from ? '' : sessionStorage.getItem(draftKey) ?? templates[0]!.text));
  const [code, setCode] = useState<Code>();
  const [asking, setAsking] = useState<'plan' | 'submit' | { template: string }>();
  const [plan, setPlan] = useState<Plan>();
  const [error, setError] = useState<Error>();
  const [busy, setBusy] = useState(false);
  const [view, setView] = useState<'form' | 'file'>('form');
  const key = useRef(newKey());
  const file = useMemo(() => readJobFile(text), [text]);
  const { faults, checking, error: checkError } = useFaults(file, code?.hash);

  const originalText = original ? textOfSpec(withoutCode(original.spec)) : '';
  useEffect(() => {
    if (!original) return;
    setText(textOfSpec(withoutCode(original.spec)));
    const hash = (original.spec.muster as { code_hash?: string } | undefined)?.code_hash;
    if (hash) setCode({ name: String(original.spec.code ?? ''), hash, note: t('new.codeOf', { id: original.id }) });
  }, [original?.id]);
  useEffect(() => {
    key.current = newKey();
    if (!from) sessionStorage.setItem(draftKey, text);
  }, [text, code?.hash]);

  const onValue = (path: Path, value: unknown) => setText((old) => withValue(old === file.text ? file : readJobFile(old), path, value));
  const marks = new Map<number, string>(file.faults.map((fault) => [fault.line, fault.message]));
  for (const fault of faults) {
    const line = lineOfPath(file, fault.path);
    if (line) marks.set(line, `${fault.path}: ${faultText(fault)}`);
  }
  const bad = file.faults.length > 0 || faults.length > 0;

  const showPlan = async () => {
    setError(undefined);
    setBusy(true);
    try {
      setPlan(await post<Plan>('/plan', { spec: file.spec }));
      setAsking('plan');
    } catch (failure) {
      setError(failure as Error);
    }
    setBusy(false);
  };
  const submit = async () => {
    setError(undefined);
    setBusy(true);
    try {
      const { jobs, group } = await post<Submitted>('/jobs', { spec: file.spec, ...(code ? { code_hash: code.hash } : {}), ...(preferences().userName ? { user: preferences().userName } : {}) }, { 'Idempotency-Key': key.current });
      if (!from) sessionStorage.removeItem(draftKey);
      toast(t('job.resubmitted', { id: jobs[0]!.id }));
      navigate(group ? `/jobs?group=${encodeURIComponent(group)}` : `/jobs/${jobs[0]!.id}`);
    } catch (failure) {
      setError(failure as Error);
      setBusy(false);
      setAsking(undefined);
    }
  };
  const applyTemplate = (id: string) => {
    const template = templates.find((each) => each.id === id)!;
    if (templates.some((each) => each.text === text)) setText(template.text);
    else setAsking({ template: id });
  };

  if (missing) return <ErrorBox error={missing} />;
  return (
    <Page title={from ? t('new.fromTitle', { id: from }) : t('nav.new')} actions={
      <>
        <Button onClick={showPlan} disabled={bad || busy} busy={busy && asking !== 'submit'}>{t('job.plan')}</Button>
        <Button look="primary" disabled={bad || busy} onClick={() => (from ? setAsking('submit') : void submit())}>{t('new.submit')}</Button>
      </>
    }>
      {!from && (
        <nav class="chips templates" aria-label={t('new.templates')}>
          <span class="dim">{t('new.templates')}</span>
          {templates.map((each) => <button key={each.id} type="button" class="chip" aria-pressed={each.text === text} onClick={() => applyTemplate(each.id)}>{each.id === 'command' ? t('new.command') : each.id === 'sweep' ? t('new.sweep') : each.name}</button>)}
        </nav>
      )}
      {error && <ErrorBox error={error} />}
      {checkError && !error && <ErrorBox error={checkError} />}
      <div class="only-narrow tabs" role="tablist">
        <button type="button" role="tab" aria-selected={view === 'form'} onClick={() => setView('form')}>{t('new.form')}</button>
        <button type="button" role="tab" aria-selected={view === 'file'} onClick={() => setView('file')}>{t('job.file')}</button>
      </div>
      <div class={`two-sides ${view}`}>
        <Card class="side-form">
          {file.faults.length > 0 ? <div class="notice bad"><Icon name="warn" /><div>{t('new.unreadable')}</div></div> : <Form file={file} faults={faults} onValue={onValue} code={code} onCode={setCode} />}
        </Card>
        <Card class="side-file" title={t('job.file')} extra={<span class="dim" role="status">{checking ? t('new.checking') : bad ? '' : text.trim() ? <><Icon name="check" size={14} /> {t('new.good')}</> : ''}</span>}>
          <Editor label={t('job.file')} value={text} onInput={setText} marks={marks} />
          {bad && (
            <ul class="faults">
              {file.faults.map((fault) => <li key={fault.line + fault.message}><b>{t('new.line', { n: fault.line })}</b> {fault.message}</li>)}
              {faults.map((fault) => <li key={fault.path + fault.found}><b>{fault.path}</b> {faultText(fault)}</li>)}
            </ul>
          )}
          <label class="field inline-name"><span class="field-label">{t('new.userName')}</span><TextInput value={preferences().userName} onChange={(value) => setPreferences({ userName: value.slice(0, 64) })} /></label>
        </Card>
      </div>
      {asking === 'plan' && plan && <Dialog wide title={t('job.plan')} onClose={() => setAsking(undefined)}><p class="dim">{t('plan.note')}</p><PlanView plan={plan} /></Dialog>}
      {asking === 'submit' && (
        <Confirm title={t('new.fromTitle', { id: from! })} look="primary" action={t('new.submit')} onDone={() => setAsking(undefined)} run={submit}>
          <p>{t('new.difference', { id: from! })}</p>
          <Difference before={originalText} after={text} />
        </Confirm>
      )}
      {typeof asking === 'object' && (
        <Confirm title={t('new.replaceTitle')} action={t('new.replace')} onDone={() => setAsking(undefined)} run={async () => setText(templates.find((each) => each.id === asking.template)!.text)}>
          <p>{t('new.replaceAsk')}</p>
        </Confirm>
      )}
    </Page>
  );
}

// The code of an earlier job comes from its snapshot, not from a folder of the machine that submitted it.
function withoutCode(spec: Spec): Spec {
  const { code, ...rest } = spec;
  return typeof code === 'string' && /^(obs|s3):/.test(code) ? spec : rest;
}
