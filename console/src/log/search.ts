// Search in logs: a pattern for the lines in memory, and hits in whole files, found by the server.
import { get, query } from '../api/client';

export interface Hit {
  rank: number;
  offset: number;
  text: string;
}

// Lower case finds any case; an upper-case letter in the text makes case count.
export const ignoresCase = (text: string) => text === text.toLowerCase();

export function patternOf(text: string, regex: boolean): RegExp | Error | undefined {
  if (!text) return undefined;
  try {
    return new RegExp(regex ? text : text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), ignoresCase(text) ? 'gi' : 'g');
  } catch (error) {
    return error as Error;
  }
}

interface SearchPage {
  hits: { offset: number; text: string }[];
  next: number | null;
}

// Hits of one rank's log from `offset` on, in their order, until `most` are found.
export async function searchRank(job: number, rank: number, attempt: number, text: string, regex: boolean, most: number, signal: AbortSignal,
  report: (hits: Hit[], done: number) => void): Promise<void> {
  let offset: number | null = 0;
  let found = 0;
  while (offset !== null && found < most) {
    const page: SearchPage = await get<SearchPage>(`/jobs/${job}/ranks/${rank}/search${query({
      text, regex, ignore_case: ignoresCase(text), attempt: attempt || undefined, offset, limit: Math.min(1000, most - found),
    })}`, signal);
    found += page.hits.length;
    offset = page.next;
    report(page.hits.map((hit) => ({ rank, ...hit })), offset ?? Infinity);
  }
}
