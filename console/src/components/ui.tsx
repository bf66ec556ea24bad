// The small parts that all pages are made of.
import type { ButtonHTMLAttributes, ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, ConnectionError } from '../api/client';
import type { State } from '../api/types';
import { formatAgo, formatDate, formatDuration } from '../format';
import { t } from '../i18n';
import { Icon, type IconName } from './icons';

export function StatePill({ state }: { state: State }) {
  return <span class={`pill ${state}`}><i />{t(`state.${state}`)}</span>;
}

interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'icon'> {
  icon?: IconName;
  look?: 'plain' | 'primary' | 'danger' | 'ghost';
  busy?: boolean;
  children?: ComponentChildren;
}

export function Button({ icon, look = 'plain', busy, children, class: className, ...rest }: ButtonProps) {
  return (
    <button type="button" {...rest} class={`button ${look} ${children ? '' : 'square'} ${className ?? ''}`} disabled={Boolean(rest.disabled) || busy} aria-busy={busy}>
      {busy ? <span class="spinner" /> : icon && <Icon name={icon} size={16} />}
      {children}
    </button>
  );
}

export function Card({ title, extra, children, class: className = '' }: { title?: ComponentChildren; extra?: ComponentChildren; children: ComponentChildren; class?: string }) {
  return (
    <section class={`card ${className}`}>
      {title && <header><h2>{title}</h2>{extra}</header>}
      {children}
    </section>
  );
}

export function Page({ title, note, actions, children }: { title: ComponentChildren; note?: ComponentChildren; actions?: ComponentChildren; children: ComponentChildren }) {
  return (
    <>
      <header class="page-head">
        <div><h1>{title}</h1>{note && <p class="dim">{note}</p>}</div>
        {actions && <div class="actions">{actions}</div>}
      </header>
      {children}
    </>
  );
}

// Text that follows the clock: drawn again every second while it is shown.
export function useNow(active = true, everyMs = 1000): number {
  const [now, set] = useState(Date.now);
  useEffect(() => {
    if (!active) return;
    const timer = setInterval(() => set(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [active, everyMs]);
  return now;
}

export function Ago({ ms }: { ms: number }) {
  const now = useNow(true, 10_000);
  return ms > 0 ? <time dateTime={new Date(ms).toISOString()} title={formatDate(ms)}>{formatAgo(ms, Math.max(now, ms))}</time> : <>–</>;
}

export function Elapsed({ from, to }: { from: number; to: number }) {
  const now = useNow(to === 0);
  return <>{from > 0 ? formatDuration((to || now) - from) : '–'}</>;
}

export function Loading() {
  return <div class="loading" role="status"><span class="spinner" /><span>{t('common.loading')}</span></div>;
}

export function Empty({ icon = 'jobs', children }: { icon?: IconName; children: ComponentChildren }) {
  return <div class="empty"><Icon name={icon} size={32} /><div>{children}</div></div>;
}

export function messageOf(error: Error): string {
  return error instanceof ConnectionError ? t('common.unreachable') : error.message;
}

export function ErrorBox({ error, retry }: { error: Error; retry?: () => void }) {
  return (
    <div class="notice bad" role="alert">
      <Icon name="warn" />
      <div>
        <strong>{messageOf(error)}</strong>
        {error instanceof ApiError && error.next && <p>{error.next}</p>}
      </div>
      {retry && <Button icon="rerun" onClick={retry}>{t('common.retry')}</Button>}
    </div>
  );
}

export function CopyButton({ text, label }: { text: string; label?: string }) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setDone(true);
    setTimeout(() => setDone(false), 1500);
  };
  return <Button look="ghost" icon={done ? 'check' : 'copy'} onClick={copy} title={t('common.copy')} aria-label={label ?? t('common.copy')}>{label}</Button>;
}

// A share of a whole as a bar; `label` is read out.
export function Bar({ part, whole, label }: { part: number; whole: number; label: string }) {
  const share = whole > 0 ? Math.min(1, part / whole) : 0;
  return (
    <div class="bar" role="meter" aria-label={label} aria-valuemin={0} aria-valuemax={whole} aria-valuenow={part}>
      <div style={{ width: `${share * 100}%` }} />
    </div>
  );
}

export interface Tab {
  id: string;
  label: string;
  count?: number;
}

export function Tabs({ tabs, current, href, label }: { tabs: Tab[]; current: string; href: (id: string) => string; label: string }) {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map((tab) => (
        <a key={tab.id} href={href(tab.id)} data-keep-scroll aria-current={tab.id === current ? 'page' : undefined}>
          {tab.label}{tab.count !== undefined && <span class="count">{tab.count}</span>}
        </a>
      ))}
    </nav>
  );
}

export function Dialog({ title, onClose, children, wide }: { title: string; onClose: () => void; children: ComponentChildren; wide?: boolean }) {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    ref.current?.showModal();
  }, []);
  return (
    <dialog ref={ref} class={wide ? 'wide' : ''} aria-label={title} onCancel={(event) => { event.preventDefault(); onClose(); }}
      onClick={(event) => { if (event.target === ref.current) onClose(); }}>
      <header><h2>{title}</h2><Button look="ghost" icon="cross" onClick={onClose} aria-label={t('common.close')} /></header>
      <div class="dialog-body">{children}</div>
    </dialog>
  );
}

// Asks before an action that cannot be taken back; shows its error and stays open on failure.
export function Confirm({ title, children, action, look = 'danger', onDone, run }: {
  title: string; children: ComponentChildren; action: string; look?: 'danger' | 'primary'; onDone: () => void; run: () => Promise<void>;
}) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Error>();
  const go = async () => {
    setBusy(true);
    setError(undefined);
    try {
      await run();
      onDone();
    } catch (failure) {
      setError(failure as Error);
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} onClose={onDone}>
      {children}
      {error && <ErrorBox error={error} />}
      <footer class="dialog-actions">
        <Button onClick={onDone}>{t('common.cancel')}</Button>
        <Button look={look} busy={busy} onClick={go}>{action}</Button>
      </footer>
    </Dialog>
  );
}

// Short messages at the edge of the page.
type Toast = { id: number; text: string; href?: string };
let toasts: Toast[] = [];
let nextToast = 1;
const toastListeners = new Set<() => void>();
const tellToasts = () => toastListeners.forEach((listener) => listener());

export function toast(text: string, href?: string) {
  const mine: Toast = { id: nextToast++, text, ...(href ? { href } : {}) };
  toasts = [...toasts, mine];
  tellToasts();
  setTimeout(() => {
    toasts = toasts.filter((each) => each !== mine);
    tellToasts();
  }, 6000);
}

export function Toasts() {
  const [, draw] = useState(0);
  useEffect(() => {
    const listener = () => draw((n) => n + 1);
    toastListeners.add(listener);
    return () => void toastListeners.delete(listener);
  }, []);
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.map((each) => <div key={each.id} class="toast">{each.href ? <a href={each.href}>{each.text}</a> : each.text}</div>)}
    </div>
  );
}

export function Facts({ rows }: { rows: [string, ComponentChildren][] }) {
  return (
    <dl class="facts">
      {rows.filter(([, value]) => value !== undefined && value !== '' && value !== null).map(([name, value]) => (
        <div key={name}><dt>{name}</dt><dd>{value}</dd></div>
      ))}
    </dl>
  );
}
