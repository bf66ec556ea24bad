// Data of the server in a component: loaded, loaded again when an event says that it has changed, and
// after a lost connection has come back.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { onEvents, onState } from './events';
import type { JobEvent } from './types';

export interface Resource<T> {
  data: T | undefined;
  error: Error | undefined;
  reload: () => void;
}

const throttleMs = 400;

// `load` runs at the first use, when `key` changes, and after events that `affects` accepts, at most every
// throttleMs and only while the page can be seen.
export function useResource<T>(
  key: string | null,
  load: (signal: AbortSignal) => Promise<T>,
  affects: (event: JobEvent) => boolean = () => false,
): Resource<T> {
  const [data, setData] = useState<{ key: string; value: T }>();
  const [error, setError] = useState<Error>();
  const latest = useRef({ load, affects });
  latest.current = { load, affects };
  const reloadRef = useRef<() => void>(() => {});

  useEffect(() => {
    if (key === null) return;
    let abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let lastMs = 0;
    let stale = false;

    const now = async () => {
      timer = undefined;
      if (document.hidden) {
        stale = true;
        return;
      }
      stale = false;
      lastMs = Date.now();
      abort.abort();
      const mine = (abort = new AbortController());
      try {
        const value = await latest.current.load(mine.signal);
        if (mine.signal.aborted) return;
        setData({ key, value });
        setError(undefined);
      } catch (failure) {
        if (!mine.signal.aborted) setError(failure as Error);
      }
    };
    const soon = () => {
      timer ??= setTimeout(now, Math.max(0, lastMs + throttleMs - Date.now()));
    };
    const shown = () => {
      if (!document.hidden && stale) soon();
    };
    reloadRef.current = soon;
    void now();
    if (document.hidden) stale = true;
    const offEvents = onEvents((events) => {
      if (events.some((event) => latest.current.affects(event))) soon();
    });
    const offState = onState((connected) => {
      if (connected) soon();
    });
    document.addEventListener('visibilitychange', shown);
    return () => {
      abort.abort();
      clearTimeout(timer);
      offEvents();
      offState();
      document.removeEventListener('visibilitychange', shown);
    };
  }, [key]);

  const reload = useCallback(() => reloadRef.current(), []);
  return { data: data && data.key === key ? data.value : undefined, error, reload };
}
