// Numbers, times and sizes as text. Formatters are kept, for making one costs more than using it.
import { preferences } from './preferences';

const kept = new Map<string, unknown>();
function keep<T>(key: string, make: () => T): T {
  const full = `${preferences().language}|${preferences().timeZone}|${key}`;
  if (!kept.has(full)) kept.set(full, make());
  return kept.get(full) as T;
}

const locale = () => (preferences().language === 'zh' ? 'zh-CN' : 'en-GB');
const zone = () => (preferences().timeZone ? { timeZone: preferences().timeZone } : {});

export function formatDate(ms: number): string {
  return keep('date', () => new Intl.DateTimeFormat(locale(), {
    year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false, ...zone(),
  })).format(ms);
}

export function formatClock(ms: number): string {
  return keep('clock', () => new Intl.DateTimeFormat(locale(), {
    hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false, ...zone(),
  })).format(ms);
}

// "3 min", "2 h 5 min": two units at most.
export function formatDuration(ms: number): string {
  const zh = preferences().language === 'zh';
  const seconds = Math.max(0, ms / 1000);
  if (seconds < 10) return `${seconds < 0.95 && seconds > 0 ? seconds.toFixed(1) : Math.round(seconds * 10) / 10} ${zh ? '秒' : 's'}`;
  const units: [number, string][] = zh
    ? [[86400, '天'], [3600, '小时'], [60, '分'], [1, '秒']]
    : [[86400, 'd'], [3600, 'h'], [60, 'min'], [1, 's']];
  const at = units.findIndex(([size]) => seconds >= size);
  const [size, name] = units[at]!;
  const parts = [`${Math.floor(seconds / size)} ${name}`];
  const next = units[at + 1];
  if (next) {
    const rest = Math.floor((seconds % size) / next[0]);
    if (rest > 0) parts.push(`${rest} ${next[1]}`);
  }
  return parts.join(' ');
}

export function formatBytes(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let at = 0;
  while (bytes >= 1024 && at < units.length - 1) {
    bytes /= 1024;
    at++;
  }
  return `${at === 0 || bytes >= 100 ? Math.round(bytes) : bytes.toFixed(1)} ${units[at]}`;
}

export function formatCount(count: number): string {
  return keep('count', () => new Intl.NumberFormat(locale())).format(count);
}

// A measured value: enough digits to compare, no noise.
export function formatValue(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  if (Number.isInteger(value) && Math.abs(value) < 1e7) return String(value);
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e7)) return value.toExponential(3);
  return String(Number(value.toPrecision(5)));
}

// How long ago, or in how long.
export function formatAgo(ms: number, now = Date.now()): string {
  const seconds = (ms - now) / 1000;
  const format = keep('ago', () => new Intl.RelativeTimeFormat(locale(), { numeric: 'auto', style: 'short' }));
  const size = Math.abs(seconds);
  if (size < 45) return format.format(Math.round(seconds), 'second');
  if (size < 2700) return format.format(Math.round(seconds / 60), 'minute');
  if (size < 79200) return format.format(Math.round(seconds / 3600), 'hour');
  return format.format(Math.round(seconds / 86400), 'day');
}
