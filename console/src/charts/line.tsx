// A chart of curves: zoom by dragging, double click shows all, and one cursor over all charts of a page.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { Button } from '../components/ui';
import { formatClock, formatDuration, formatValue } from '../format';
import { t } from '../i18n';
import { isDark, usePreferences } from '../preferences';
import { csvOf, save, svgOf, type Curve } from './export';
import { smooth } from './smooth';

export const colours = ['#2f7de1', '#e0693e', '#1d9a6c', '#a558d6', '#c2952a', '#d6457e', '#1a9bb0', '#7a8694', '#6a9a1f', '#8a5a3b'];

export type XAxis = 'step' | 'time' | 'clock';
export interface ChartOptions {
  log: boolean;
  smoothing: number;
  x: XAxis;
}

function optionsOf(curves: Curve[], { log, smoothing, x }: ChartOptions, width: number, height: number, sync: string, onHover: (index: number | null) => void): uPlot.Options {
  const dark = isDark();
  const grid = { stroke: dark ? '#2a313c' : '#e8ebef', width: 1 };
  const axis = { stroke: dark ? '#98a2b0' : '#5c6673', grid, ticks: grid, font: '11px system-ui, sans-serif' };
  const faint = smoothing > 0;
  return {
    width, height,
    padding: [8, 8, 0, 0],
    legend: { show: false },
    cursor: { sync: { key: sync, setSeries: false }, drag: { x: true, y: false }, points: { size: 6 }, y: false },
    scales: { x: { time: false }, y: log ? { distr: 3 } : {} },
    axes: [
      { ...axis, values: (_, values) => values.map((value) => (x === 'clock' ? formatClock(value) : x === 'time' ? formatDuration(value) : formatValue(value))), space: x === 'step' ? 50 : 80 },
      { ...axis, size: 58, values: (_, values) => values.map((value) => (value === null ? '' : formatValue(value))) },
    ],
    series: [
      {},
      ...(faint ? curves.map((curve) => ({ stroke: curve.color + '40', width: 1, points: { show: false } })) : []),
      ...curves.map((curve) => ({ label: curve.label, stroke: curve.color, width: 1.8, spanGaps: true, points: { show: curve.xs.length === 1 } })),
    ],
    hooks: { setCursor: [(plot) => onHover(plot.cursor.idx ?? null)] },
  };
}

export function LineChart({ title, curves, options, sync, height = 220 }: { title: string; curves: Curve[]; options: ChartOptions; sync: string; height?: number }) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const [hover, setHover] = useState<number | null>(null);
  const { theme, language } = usePreferences();
  const { log, smoothing, x } = options;
  const data = useMemo(() => {
    const tables = curves.map((curve) => [curve.xs, log ? curve.ys.map((value) => (value !== null && value > 0 ? value : null)) : curve.ys] as uPlot.AlignedData);
    const joined = tables.length ? uPlot.join(tables) : ([[]] as unknown as uPlot.AlignedData);
    if (smoothing <= 0) return joined;
    const raw = joined.slice(1) as (number | null)[][];
    return [joined[0], ...raw, ...raw.map((values) => smooth(values, smoothing))] as uPlot.AlignedData;
  }, [curves, log, smoothing]);
  const form = `${curves.map((curve) => curve.label + curve.color).join('|')}|${log}|${smoothing > 0}|${x}|${theme}|${language}`;

  useLayoutEffect(() => {
    const element = box.current!;
    const made = new uPlot(optionsOf(curves, options, element.clientWidth || 300, height, sync, setHover), data, element);
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
      plot.current = undefined;
    };
  }, [form, height]);
  useEffect(() => {
    const chart = plot.current;
    if (!chart) return;
    // A zoom stays while values are added.
    const xs = chart.data[0];
    const { min, max } = chart.scales.x!;
    const zoomed = xs.length > 1 && (min! > xs[0]! || max! < xs.at(-1)!);
    chart.batch(() => {
      chart.setData(data, !zoomed);
      if (zoomed) chart.setScale('x', { min: min!, max: max! });
    });
  }, [data]);

  const first = smoothing > 0 ? curves.length + 1 : 1;
  const valueOf = (at: number) => {
    const column = data[at + first] as (number | null)[] | undefined;
    if (!column) return '';
    for (let index = hover ?? column.length - 1; index >= 0; index--) {
      const value = column[index];
      if (value !== null && value !== undefined) return formatValue(value);
    }
    return '';
  };
  const name = title.replace(/[^\w.-]+/g, '_');
  return (
    <figure class="chart">
      <figcaption>
        <b>{title}</b>
        <span class="chart-actions">
          <Button look="ghost" onClick={() => plot.current?.ctx.canvas.toBlob((blob) => blob && save(`${name}.png`, blob))}>PNG</Button>
          <Button look="ghost" onClick={() => save(`${name}.svg`, new Blob([svgOf(title, curves, log)], { type: 'image/svg+xml' }))}>SVG</Button>
          <Button look="ghost" onClick={() => save(`${name}.csv`, new Blob([csvOf(x, curves)], { type: 'text/csv' }))}>CSV</Button>
        </span>
      </figcaption>
      <div class="chart-box" ref={box} role="img" aria-label={`${title}: ${curves.map((curve, at) => `${curve.label} ${valueOf(at)}`).join(', ')}`} style={{ height: `${height}px` }} />
      <ul class="legend">
        {curves.map((curve, at) => <li key={curve.label}><i style={{ background: curve.color }} />{curve.label}<b>{valueOf(at)}</b></li>)}
        {hover !== null && data[0][hover] !== undefined && <li class="dim">{x === 'step' ? t('curves.atStep', { n: formatValue(data[0][hover]!) }) : x === 'clock' ? formatClock(data[0][hover]!) : formatDuration(data[0][hover]!)}</li>}
      </ul>
    </figure>
  );
}

export function ChartControls({ options, onChange }: { options: ChartOptions; onChange: (options: ChartOptions) => void }) {
  return (
    <div class="toolbar">
      <label class="inline">{t('curves.smoothing')}
        <input type="range" min={0} max={0.99} step={0.01} value={options.smoothing} onInput={(event) => onChange({ ...options, smoothing: Number(event.currentTarget.value) })} />
        <output>{options.smoothing.toFixed(2)}</output>
      </label>
      <label class="inline">{t('curves.x')}
        <select value={options.x} onChange={(event) => onChange({ ...options, x: event.currentTarget.value as XAxis })}>
          <option value="step">{t('curves.step')}</option><option value="time">{t('curves.time')}</option><option value="clock">{t('curves.clock')}</option>
        </select>
      </label>
      <label class="inline"><input type="checkbox" checked={options.log} onChange={(event) => onChange({ ...options, log: event.currentTarget.checked })} />{t('curves.log')}</label>
      <span class="dim">{t('curves.zoom')}</span>
    </div>
  );
}
