// Charts as files: SVG, CSV, PNG.
export interface Curve {
  label: string;
  color: string;
  xs: number[];
  ys: (number | null)[];
}

const escaped = (text: string) => text.replace(/[&<>"]/g, (char) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[char]!);

export function svgOf(title: string, curves: Curve[], log: boolean, width = 800, height = 400): string {
  const left = 70, right = 20, top = 40, bottom = 40;
  const scale = (value: number) => (log ? Math.log10(value) : value);
  const xs = curves.flatMap((curve) => curve.xs);
  const ys = curves.flatMap((curve) => curve.ys).filter((value): value is number => value !== null && Number.isFinite(value) && (!log || value > 0)).map(scale);
  // Not Math.min(...xs), whose arguments fill the stack.
  const range = (values: number[]) => values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)] as [number, number], [Infinity, -Infinity] as [number, number]);
  const [x0, x1] = range(xs);
  const [y0, y1] = range(ys);
  const px = (x: number) => (left + ((x - x0) / (x1 - x0 || 1)) * (width - left - right)).toFixed(1);
  const py = (y: number) => (height - bottom - ((y - y0) / (y1 - y0 || 1)) * (height - top - bottom)).toFixed(1);
  const shown = (value: number) => String(Number((log ? 10 ** value : value).toPrecision(4)));
  const lines = curves.map((curve) => {
    const points = curve.xs.flatMap((x, at) => {
      const y = curve.ys[at];
      return y === null || y === undefined || !Number.isFinite(y) || (log && y <= 0) ? [] : [`${px(x)},${py(scale(y))}`];
    });
    return `<polyline fill="none" stroke="${curve.color}" stroke-width="1.5" points="${points.join(' ')}"/>`;
  });
  const names = curves.map((curve, at) => `<text x="${left + 10 + (at % 4) * 180}" y="${top + 14 + Math.floor(at / 4) * 16}" fill="${curve.color}">${escaped(curve.label)}</text>`);
  const ticks = [0, 0.25, 0.5, 0.75, 1].flatMap((share) => {
    const y = y0 + (y1 - y0) * share;
    const x = x0 + (x1 - x0) * share;
    return [
      `<line x1="${left}" x2="${width - right}" y1="${py(y)}" y2="${py(y)}" stroke="#ddd"/>`,
      `<text x="${left - 8}" y="${py(y)}" text-anchor="end" dominant-baseline="middle">${shown(y)}</text>`,
      `<text x="${px(x)}" y="${height - bottom + 18}" text-anchor="middle">${String(Number(x.toPrecision(4)))}</text>`,
    ];
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="11">`
    + `<rect width="100%" height="100%" fill="#fff"/><text x="${left}" y="22" font-size="15" font-weight="bold">${escaped(title)}</text>${ticks.join('')}${lines.join('')}${names.join('')}</svg>`;
}

export function csvOf(xName: string, curves: Curve[]): string {
  const quoted = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const xs = [...new Set(curves.flatMap((curve) => curve.xs))].sort((a, b) => a - b);
  const columns = curves.map((curve) => new Map(curve.xs.map((x, at) => [x, curve.ys[at]])));
  const rows = xs.map((x) => [x, ...columns.map((column) => column.get(x) ?? '')].join(','));
  return [[xName, ...curves.map((curve) => curve.label)].map(quoted).join(','), ...rows].join('\n') + '\n';
}

export function save(name: string, content: Blob) {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
