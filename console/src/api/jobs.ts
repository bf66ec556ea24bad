// What the pages ask about jobs and do with them.
import { get, newKey, post, query, remove } from './client';
import type { Job, JobEvent, JobPage, NodeInfo, State, Submitted } from './types';

export interface ListFilter {
  states?: State[];
  text?: string;
  user?: string;
  group?: string;
  sort?: string;
  limit?: number;
  offset?: number;
  counts?: boolean;
}
export interface CountedPage extends JobPage {
  counts?: Record<State, number>;
}

export function listJobs(filter: ListFilter, signal?: AbortSignal): Promise<CountedPage> {
  const { states, offset, ...rest } = filter;
  return get(`/jobs${query({ ...rest, state: states?.join(','), offset: offset || undefined })}`, signal);
}

export const getJob = (id: number, signal?: AbortSignal) => get<Job>(`/jobs/${id}`, signal);
export const getNodes = (signal?: AbortSignal) => get<{ nodes: NodeInfo[] }>('/nodes', signal).then((answer) => answer.nodes);

export const stopJob = (id: number) => post<{ state: State }>(`/jobs/${id}/stop`);
export const rerunJob = (id: number) => post<Submitted>(`/jobs/${id}/rerun`, {}, { 'Idempotency-Key': newKey() });
export const removeJob = (id: number) => remove(`/jobs/${id}`);

export async function eventsOf(id: number, signal?: AbortSignal): Promise<JobEvent[]> {
  const all: JobEvent[] = [];
  for (;;) {
    const { events } = await get<{ events: JobEvent[] }>(`/jobs/${id}/events${query({ limit: 1000, after: all.at(-1)?.seq })}`, signal);
    all.push(...events);
    if (events.length < 1000) return all;
  }
}

// Several requests, a few at a time; the errors by job.
export async function forEachJob(ids: number[], run: (id: number) => Promise<unknown>): Promise<Map<number, Error>> {
  const errors = new Map<number, Error>();
  const left = [...ids];
  const work = async () => {
    for (let id = left.shift(); id !== undefined; id = left.shift()) {
      try {
        await run(id);
      } catch (error) {
        errors.set(id, error as Error);
      }
    }
  };
  await Promise.all([work(), work(), work(), work()]);
  return errors;
}
