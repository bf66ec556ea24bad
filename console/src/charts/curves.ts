// Curves for charts out of measured values.
import type { Point, Series } from '../api/series';
import type { Curve } from './export';
import type { XAxis } from './line';

// The place of a point on the x axis; undefined where it has none.
export function xOf(point: Point, x: XAxis, beginMs: number): number | undefined {
  if (x === 'clock') return point.ms;
  return x === 'time' ? point.ms - beginMs : point.step;
}

export function curveOf(series: Series, label: string, color: string, x: XAxis, beginMs: number): Curve {
  const pairs = series.points
    .map((point) => [xOf(point, x, beginMs), point.value] as const)
    .filter((pair): pair is readonly [number, number] => pair[0] !== undefined);
  // Steps begin again with every epoch in some logs: a curve goes from left to right.
  const sorted = pairs.every(([at], i) => i === 0 || pairs[i - 1]![0] <= at) ? pairs : [...pairs].sort(([a], [b]) => a - b);
  return { label, color, xs: sorted.map(([at]) => at), ys: sorted.map(([, value]) => (Number.isFinite(value) ? value : null)) };
}

// Whether values have steps at all; without any the x axis is the time.
export const hasSteps = (series: Series[]) => series.some((each) => each.points.some((point) => point.step !== undefined));
