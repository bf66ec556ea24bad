// Events of the server, for the components of this page.
import type { JobEvent } from './types';
import type { FromPage, ToPage } from './events.worker';

type Listener = (events: JobEvent[]) => void;
type StateListener = (connected: boolean) => void;

const listeners = new Set<Listener>();
const stateListeners = new Set<StateListener>();
let port: MessagePort | undefined;
let connected: boolean | undefined;

export const isConnected = () => connected;

function take(message: ToPage) {
  if (message.type === 'events') {
    for (const listener of listeners) listener(message.events);
  } else if (connected !== message.connected) {
    connected = message.connected;
    for (const listener of stateListeners) listener(message.connected);
  }
}

// A browser without shared workers gets a connection for this page alone.
function connectAlone() {
  const source = new EventSource('/api/v1/events');
  source.onopen = () => take({ type: 'state', connected: true });
  source.onerror = () => take({ type: 'state', connected: false });
  source.onmessage = ({ data }) => take({ type: 'events', events: [JSON.parse(data as string) as JobEvent] });
}

function connectShared() {
  const worker = new SharedWorker(new URL('./events.worker.ts', import.meta.url), { type: 'module', name: 'muster-events' });
  port = worker.port;
  port.onmessage = ({ data }: MessageEvent<ToPage>) => take(data);
  port.start();
}

export function connect() {
  if (port) return;
  if (typeof SharedWorker === 'undefined') return connectAlone();
  connectShared();
  addEventListener('pagehide', () => {
    port?.postMessage('bye' satisfies FromPage);
    port = undefined;
  });
  addEventListener('pageshow', (event) => {
    if (event.persisted && !port) connectShared();
  });
}

export function retry() {
  port?.postMessage('retry' satisfies FromPage);
}

export function onEvents(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function onState(listener: StateListener): () => void {
  stateListeners.add(listener);
  return () => stateListeners.delete(listener);
}
