// A long list of jobs, fetched in pages as they come into view.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { onEvents, onState } from './events';
import { listJobs, type ListFilter } from './jobs';
import { states, type JobRow, type State } from './types';

const pageSize = 100;
const mostPages = 40;
const refreshMs = 700;

export interface JobList {
  total: number | undefined;
  counts: Record<State, number> | undefined;
  error: Error | undefined;
  row: (index: number) => JobRow | undefined;
  // Says which rows can be seen.
  show: (first: number, last: number) => void;
  reload: () => void;
}

export function useJobList(filter: ListFilter): JobList {
  const key = JSON.stringify(filter);
  const [, draw] = useState(0);
  const list = useMemo(() => new Pages(filter, () => draw((n) => n + 1)), [key]);
  // The rows of the last filter stay until the first rows of this one are here.
  const shown = useRef(list);
  if (list.total !== undefined || list.error) shown.current = list;
  useEffect(() => {
    list.open();
    return () => list.close();
  }, [list]);
  return shown.current === list ? list : Object.assign(Object.create(shown.current) as Pages, { show: list.show, reload: list.reload });
}

class Pages implements JobList {
  total: number | undefined;
  counts: Record<State, number> | undefined;
  error: Error | undefined;
  private pages = new Map<number, JobRow[]>();
  private loading = new Map<number, AbortController>();
  private first = 0;
  private last = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private off: (() => void)[] = [];

  constructor(private filter: ListFilter, private draw: () => void) {}

  open() {
    void this.fetch(0, true);
    this.off = [
      onEvents((events) => {
        if (events.some((event) => event.kind === 'state' || event.kind === 'submitted' || event.kind === 'removed')) this.reload();
      }),
      onState((connected) => {
        if (connected) this.reload();
      }),
    ];
  }

  close() {
    this.off.forEach((off) => off());
    clearTimeout(this.timer);
    for (const abort of this.loading.values()) abort.abort();
  }

  row = (index: number) => this.pages.get(Math.floor(index / pageSize))?.[index % pageSize];

  show = (first: number, last: number) => {
    this.first = Math.floor(first / pageSize);
    this.last = Math.floor(last / pageSize);
    // Pages that were scrolled past are not fetched any more.
    for (const [page, abort] of this.loading) if (page < this.first - 1 || page > this.last + 1) abort.abort();
    for (let page = this.first; page <= this.last; page++)
      if (!this.pages.has(page) && !this.loading.has(page)) void this.fetch(page, false);
  };

  reload = () => {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      if (document.hidden) return this.reload();
      for (let page = this.first; page <= this.last; page++) void this.fetch(page, page === this.first);
      for (const page of this.pages.keys()) if (page < this.first || page > this.last) this.pages.delete(page);
    }, refreshMs);
  };

  private async fetch(page: number, counts: boolean) {
    this.loading.get(page)?.abort();
    const abort = new AbortController();
    this.loading.set(page, abort);
    try {
      const answer = await listJobs({ ...this.filter, limit: pageSize, offset: page * pageSize, counts }, abort.signal);
      if (abort.signal.aborted) return;
      this.pages.delete(page);
      this.pages.set(page, answer.jobs);
      if (answer.counts) {
        this.counts = answer.counts;
        const chosen = this.filter.states?.length ? this.filter.states : states;
        this.total = chosen.reduce((sum, state) => sum + answer.counts![state], 0);
      }
      this.error = undefined;
      for (const old of this.pages.keys()) {
        if (this.pages.size <= mostPages) break;
        this.pages.delete(old);
      }
      this.draw();
    } catch (error) {
      if (abort.signal.aborted) return;
      this.error = error as Error;
      this.draw();
    } finally {
      if (this.loading.get(page) === abort) this.loading.delete(page);
    }
  }
}
