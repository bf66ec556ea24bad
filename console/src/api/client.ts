// Requests to the server. A session cookie signs them in; the header X-Muster-Console marks requests of
// this page, which a page of another origin cannot send.
import type { Fault } from './types';

export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly next: string,
    readonly faults: Fault[] = [],
  ) {
    super(message);
  }
}

// The server could not be reached.
export class ConnectionError extends Error {}

type Listener = () => void;
const signedOut = new Set<Listener>();
export function onSignedOut(listener: Listener): () => void {
  signedOut.add(listener);
  return () => signedOut.delete(listener);
}

async function errorOf(response: Response): Promise<ApiError> {
  try {
    const { error } = (await response.json()) as { error: { code: string; message: string; next: string; faults?: Fault[] } };
    return new ApiError(response.status, error.code, error.message, error.next, error.faults);
  } catch {
    return new ApiError(response.status, 'internal', `HTTP ${response.status}`, '');
  }
}

export interface Options {
  method?: string;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

// The response of a successful request; ApiError for an error of the server, ConnectionError without one.
export async function request(path: string, options: Options = {}): Promise<Response> {
  const headers: Record<string, string> = { 'X-Muster-Console': '1', ...options.headers };
  let body: BodyInit | undefined;
  if (options.body instanceof Blob || options.body instanceof ArrayBuffer) {
    body = options.body;
  } else if (options.body !== undefined) {
    headers['Content-Type'] = 'application/json';
    body = JSON.stringify(options.body);
  }
  let response: Response;
  try {
    const init: RequestInit = { method: options.method ?? 'GET', headers };
    if (body !== undefined) init.body = body;
    if (options.signal) init.signal = options.signal;
    response = await fetch(`/api/v1${path}`, init);
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new ConnectionError((error as Error).message);
  }
  if (response.ok) return response;
  const failure = await errorOf(response);
  if (response.status === 401 && path !== '/console/session') signedOut.forEach((listener) => listener());
  throw failure;
}

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await request(path, signal ? { signal } : {})).json() as Promise<T>;
}

export async function post<T>(path: string, body?: unknown, headers?: Record<string, string>): Promise<T> {
  const response = await request(path, { method: 'POST', body: body ?? {}, ...(headers ? { headers } : {}) });
  return (response.status === 204 ? undefined : await response.json()) as T;
}

export async function remove(path: string): Promise<void> {
  await request(path, { method: 'DELETE' });
}

// A value for the header Idempotency-Key: a repeated submit with it makes no second job.
export const newKey = () => crypto.randomUUID();

export function query(values: Record<string, string | number | boolean | undefined | null>): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(values))
    if (value !== undefined && value !== null && value !== '') params.set(name, value === true ? '1' : String(value));
  const text = params.toString();
  return text ? `?${text}` : '';
}
