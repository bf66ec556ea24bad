import { describe, expect, it } from 'vitest';
import type { JobEvent } from '../../src/api/types';
import { curveOf } from '../../src/charts/curves';
import { csvOf, svgOf } from '../../src/charts/export';
import { smooth } from '../../src/charts/smooth';
import { flatten, shareOf } from '../../src/job/compare';
import { changedLines } from '../../src/job/difference';
import { segmentsOf } from '../../src/job/timeline';
import { formatBytes, formatValue } from '../../src/format';
import { patternOf } from '../../src/log/search';

const state = (seq: number, ms: number, from: string, to: string): JobEvent => ({ seq, job: 1, wall_ms: ms, kind: 'state', data: { from, to } });

describe('the time line', () => {
  it('has a phase for each state and a track for each attempt', () => {
    const events = [state(1, 20, 'queued', 'starting'), state(2, 30, 'starting', 'running'), state(3, 90, 'running', 'queued'), state(4, 95, 'queued', 'starting')];
    expect(segmentsOf(events, { created_ms: 10, ended_ms: 0, state: 'starting' })).toEqual([
      { attempt: 1, segments: [{ phase: 'queued', beginMs: 10, endMs: 20 }, { phase: 'starting', beginMs: 20, endMs: 30 }, { phase: 'running', beginMs: 30, endMs: 90 }] },
      { attempt: 2, segments: [{ phase: 'queued', beginMs: 90, endMs: 95 }, { phase: 'starting', beginMs: 95, endMs: 0 }] },
    ]);
  });
});

describe('curves', () => {
  it('are smoothed without a bias at the beginning', () => {
    expect(smooth([4, 4, 4], 0.9).map((value) => value!.toFixed(6))).toEqual(['4.000000', '4.000000', '4.000000']);
    expect(smooth([1, null, 3], 0.5)).toEqual([1, null, 2.3333333333333335]);
  });

  it('go from left to right and leave out points without a place', () => {
    const points = [{ ms: 5, step: 2, value: 1 }, { ms: 6, step: undefined, value: 9 }, { ms: 7, step: 1, value: 3 }];
    expect(curveOf({ name: 'loss', rank: 0, points }, 'a', '#000', 'step', 0)).toEqual({ label: 'a', color: '#000', xs: [1, 2], ys: [3, 1] });
    expect(curveOf({ name: 'loss', rank: 0, points }, 'a', '#000', 'time', 5).xs).toEqual([0, 1, 2]);
  });

  it('are exported without names becoming markup or cells', () => {
    const curves = [{ label: '<script>,"x"', color: '#000', xs: [1, 2], ys: [0.5, null] }];
    expect(svgOf('a & b', curves, false)).toContain('&lt;script&gt;,&quot;x&quot;');
    expect(svgOf('a & b', curves, false)).not.toContain('<script>');
    expect(csvOf('step', curves)).toBe('step,"<script>,""x"""\n1,0.5\n2,\n');
  });
});

describe('comparisons', () => {
  it('flatten job files and give shares of a baseline', () => {
    expect([...flatten({ run: ['a', 'b'], resources: { nodes: 2 }, muster: { code_hash: 'x' } })]).toEqual([['run', 'a b'], ['resources.nodes', '2']]);
    expect(shareOf(3, 2)).toBe(0.5);
    expect(shareOf(1, 0)).toBeUndefined();
  });

  it('show added and removed lines', () => {
    expect(changedLines('a\nb\nc', 'a\nx\nc').map((line) => line.kind + line.text)).toEqual(['samea', 'removedb', 'addedx', 'samec']);
  });
});

describe('numbers and patterns', () => {
  it('are short and exact enough', () => {
    expect([formatValue(0.123456), formatValue(3), formatValue(1e-7), formatValue(11066.123)]).toEqual(['0.12346', '3', '1.000e-7', '11066']);
    expect([formatBytes(10), formatBytes(1536), formatBytes(5e9)]).toEqual(['10 B', '1.5 KiB', '4.7 GiB']);
  });

  it('find text as it is, and refuse a broken expression', () => {
    expect('a.b aXb'.match(patternOf('a.b', false) as RegExp)).toEqual(['a.b']);
    expect('LOSS loss'.match(patternOf('loss', false) as RegExp)).toEqual(['LOSS', 'loss']);
    expect('LOSS Loss'.match(patternOf('Loss', false) as RegExp)).toEqual(['Loss']);
    expect(patternOf('(', true)).toBeInstanceOf(Error);
  });
});
