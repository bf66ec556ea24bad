// Measured values of jobs over time. All pages read them through this module, so that the form in which the
// server keeps them can change.
import { get, query } from './client';

export interface Point {
  ms: number; // wall clock
  step: number | undefined;
  value: number; // NaN also for infinities
}

export interface Series {
  name: string; // "loss"
  rank: number;
  points: Point[];
}

interface Answer {
  series: { name: string; rank: number; points: [number, number | null, number | null][] }[];
}

export async function getSeries(job: number, attempt: number | undefined, signal: AbortSignal): Promise<Series[]> {
  const answer = await get<Answer>(`/jobs/${job}/series${query({ attempt })}`, signal);
  return answer.series.map(({ name, rank, points }) => ({ name, rank, points: points.map(([ms, step, value]) => ({ ms, step: step ?? undefined, value: value ?? NaN })) }));
}

// Names that say where a value was measured and are no curve of their own.
const places = new Set(['step', 'steps', 'epoch', 'epochs']);
export const isCurve = (name: string) => !places.has(name);

// The last value of each curve, rank 0 first.
export function lastValues(series: Series[]): Map<string, number> {
  const values = new Map<string, number>();
  for (const each of [...series].sort((a, b) => a.rank - b.rank)) {
    const last = each.points.at(-1);
    if (last && isCurve(each.name) && !values.has(each.name)) values.set(each.name, last.value);
  }
  return values;
}
