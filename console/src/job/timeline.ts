// The phases of a job, from the changes of its state.
import type { Job, JobEvent, State } from '../api/types';

export type Phase = 'queued' | 'starting' | 'running' | 'stopping';
export interface Segment {
  phase: Phase;
  beginMs: number;
  endMs: number; // 0: it lasts
}
export interface Track {
  attempt: number;
  segments: Segment[];
}

const phases = new Set<State>(['queued', 'starting', 'running', 'stopping']);

export function segmentsOf(events: JobEvent[], job: Pick<Job, 'created_ms' | 'ended_ms' | 'state'>): Track[] {
  const tracks: Track[] = [];
  let open: Segment | undefined = { phase: 'queued', beginMs: job.created_ms, endMs: 0 };
  let track: Track = { attempt: 1, segments: [open] };
  tracks.push(track);
  for (const event of events) {
    if (event.kind !== 'state') continue;
    const to = event.data.to as State;
    if (open) open.endMs = event.wall_ms;
    open = undefined;
    if (!phases.has(to)) continue;
    // A job that goes back into the queue begins another attempt.
    if (to === 'queued') tracks.push((track = { attempt: track.attempt + 1, segments: [] }));
    open = { phase: to as Phase, beginMs: event.wall_ms, endMs: 0 };
    track.segments.push(open);
  }
  if (open && job.ended_ms > 0) open.endMs = job.ended_ms;
  return tracks;
}
