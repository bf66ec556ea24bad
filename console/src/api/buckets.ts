// Buckets of the server's own object store.
import { ApiError, ConnectionError, get, post, query, remove, request } from './client';

export interface Bucket {
  name: string;
  created_ms: number;
}
export interface StoredObject {
  key: string;
  size: number;
  mtime_ms: number;
}
export interface Listing {
  folders: string[];
  objects: StoredObject[];
  next: string | null;
}

const base = (bucket: string) => `/console/buckets/${encodeURIComponent(bucket)}`;

export const listBuckets = (signal?: AbortSignal) => get<{ buckets: Bucket[] }>('/console/buckets', signal).then((answer) => answer.buckets);
export const makeBucket = (name: string) => post('/console/buckets', { name });
export const removeBucket = (name: string) => remove(base(name));
export const listObjects = (bucket: string, prefix: string, after: string, signal?: AbortSignal) => get<Listing>(`${base(bucket)}/objects${query({ prefix, after })}`, signal);
export const removeObject = (bucket: string, key: string) => remove(`${base(bucket)}/object${query({ key })}`);
export const makeLink = (bucket: string, key: string, seconds: number) => post<{ url: string }>(`${base(bucket)}/links`, { key, seconds }).then((answer) => answer.url);
export const objectAddress = (bucket: string, key: string) => `/api/v1${base(bucket)}/object${query({ key })}`;

export async function readObject(bucket: string, key: string, limit: number, signal: AbortSignal): Promise<{ bytes: Uint8Array<ArrayBuffer>; size: number }> {
  const response = await request(`${base(bucket)}/object${query({ key, limit })}`, { signal });
  return { bytes: new Uint8Array(await response.arrayBuffer()), size: Number(response.headers.get('X-Muster-Size')) };
}

// XMLHttpRequest and not fetch: fetch does not tell how much has been sent.
export function putObject(bucket: string, key: string, file: File, report: (sent: number) => void, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const call = new XMLHttpRequest();
    call.open('PUT', objectAddress(bucket, key));
    call.setRequestHeader('X-Muster-Console', '1');
    call.setRequestHeader('Content-Type', 'application/octet-stream');
    call.upload.onprogress = (event) => report(event.loaded);
    call.onerror = () => reject(new ConnectionError('upload'));
    call.onabort = () => reject(new DOMException('', 'AbortError'));
    call.onload = () => {
      if (call.status < 300) return resolve();
      let message = `HTTP ${call.status}`;
      try {
        message = (JSON.parse(call.responseText) as { error: { message: string } }).error.message;
      } catch {
        // The status says enough.
      }
      reject(new ApiError(call.status, '', message, ''));
    };
    signal.addEventListener('abort', () => call.abort());
    call.send(file);
  });
}
