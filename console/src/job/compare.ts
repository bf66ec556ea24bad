// Job files as flat lists of names and values, and differences of numbers.
export function flatten(value: unknown, prefix = '', into = new Map<string, string>()): Map<string, string> {
  if (Array.isArray(value)) {
    into.set(prefix, value.map((each) => (typeof each === 'object' ? JSON.stringify(each) : String(each))).join(' '));
  } else if (value !== null && typeof value === 'object') {
    for (const [name, each] of Object.entries(value)) if (prefix !== '' || name !== 'muster') flatten(each, prefix ? `${prefix}.${name}` : name, into);
  } else if (prefix) {
    into.set(prefix, String(value));
  }
  return into;
}

// How much more than the baseline, as a share of it; nothing where there is none.
export function shareOf(value: number | undefined, baseline: number | undefined): number | undefined {
  if (value === undefined || baseline === undefined || baseline === 0 || !Number.isFinite(value) || !Number.isFinite(baseline)) return undefined;
  return (value - baseline) / Math.abs(baseline);
}
