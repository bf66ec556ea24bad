// One event connection for all pages of this browser: HTTP/1.1 allows six connections per host, and a
// page of its own connection would block the seventh.
import type { JobEvent } from './types';

export type ToPage = { type: 'events'; events: JobEvent[] } | { type: 'state'; connected: boolean };
export type FromPage = 'bye' | 'retry';

interface SharedScope {
  onconnect: ((event: MessageEvent) => void) | null;
}
const retryMs = 2000;
const batchMs = 100;

const ports = new Set<MessagePort>();
let source: EventSource | undefined;
let connected: boolean | undefined; // undefined before the first answer
let lastSeq: number | undefined;
let batch: JobEvent[] = [];
let retry: ReturnType<typeof setTimeout> | undefined;

function send(message: ToPage) {
  for (const port of ports) port.postMessage(message);
}

function setConnected(now: boolean) {
  if (connected === now) return;
  connected = now;
  send({ type: 'state', connected: now });
}

function close() {
  source?.close();
  source = undefined;
  clearTimeout(retry);
}

function open() {
  close();
  const opened = new EventSource(lastSeq === undefined ? '/api/v1/events' : `/api/v1/events?after=${lastSeq}`);
  source = opened;
  opened.onopen = () => setConnected(true);
  opened.onmessage = (message) => take(JSON.parse(message.data as string) as JobEvent);
  opened.onerror = () => {
    setConnected(false);
    // A refused connection is tried again by the browser, an HTTP error is not.
    if (opened.readyState === EventSource.CLOSED) retry = setTimeout(open, retryMs);
  };
}

function take(event: JobEvent) {
  lastSeq = event.seq;
  if (batch.length === 0) setTimeout(flush, batchMs);
  batch.push(event);
}

function flush() {
  const events = batch;
  batch = [];
  send({ type: 'events', events });
}

function join(port: MessagePort) {
  ports.add(port);
  port.onmessage = ({ data }: MessageEvent<FromPage>) => {
    if (data === 'retry' && !connected) return open();
    if (data !== 'bye') return;
    ports.delete(port);
    if (ports.size === 0) {
      close();
      connected = undefined;
    }
  };
  port.start();
  if (connected !== undefined) port.postMessage({ type: 'state', connected } satisfies ToPage);
  if (!source) open();
}

(globalThis as unknown as SharedScope).onconnect = (event) => join(event.ports[0]!);
