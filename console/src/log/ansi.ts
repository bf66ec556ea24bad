// One line of a log as coloured pieces of text: colours and styles of ANSI escapes, carriage returns of
// progress bars as a terminal shows them, and everything else that could deceive made visible.

export interface Style {
  fg?: number | string; // 0 to 15: a colour of the theme; else CSS
  bg?: number | string;
  bold?: boolean;
  dim?: boolean;
  italic?: boolean;
  underline?: boolean;
  inverse?: boolean;
}

export interface Piece {
  text: string;
  style: Style;
}

const plain: Style = {};
const escape = /\x1b(?:\[([0-9;:?]*)([@-~])|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_]|[()][0-9A-B])?/y;

function colour256(n: number): number | string {
  if (n < 16) return n;
  if (n >= 232) {
    const grey = 8 + (n - 232) * 10;
    return `rgb(${grey},${grey},${grey})`;
  }
  const level = (step: number) => (step === 0 ? 0 : 55 + step * 40);
  const cube = n - 16;
  return `rgb(${level(Math.floor(cube / 36))},${level(Math.floor(cube / 6) % 6)},${level(cube % 6)})`;
}

// The colour that begins at codes[at] (38 or 48), and how many codes it takes.
function longColour(codes: number[], at: number): [number | string | undefined, number] {
  const byte = (n: number | undefined) => Math.min(255, Math.max(0, n ?? 0));
  if (codes[at + 1] === 5) return [colour256(byte(codes[at + 2])), 2];
  if (codes[at + 1] === 2) return [`rgb(${byte(codes[at + 2])},${byte(codes[at + 3])},${byte(codes[at + 4])})`, 4];
  return [undefined, 1];
}

export function applySgr(style: Style, parameters: string): Style {
  const codes = parameters.split(/[;:]/).map((code) => Number(code || 0));
  const next: Style = { ...style };
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at]!;
    if (code === 0) for (const name of Object.keys(next)) delete next[name as keyof Style];
    else if (code === 1) next.bold = true;
    else if (code === 2) next.dim = true;
    else if (code === 3) next.italic = true;
    else if (code === 4) next.underline = true;
    else if (code === 7) next.inverse = true;
    else if (code === 22) { delete next.bold; delete next.dim; }
    else if (code === 23) delete next.italic;
    else if (code === 24) delete next.underline;
    else if (code === 27) delete next.inverse;
    else if (code >= 30 && code <= 37) next.fg = code - 30;
    else if (code >= 90 && code <= 97) next.fg = code - 82;
    else if (code >= 40 && code <= 47) next.bg = code - 40;
    else if (code >= 100 && code <= 107) next.bg = code - 92;
    else if (code === 39) delete next.fg;
    else if (code === 49) delete next.bg;
    else if (code === 38 || code === 48) {
      const [colour, taken] = longColour(codes, at);
      if (colour !== undefined) next[code === 38 ? 'fg' : 'bg'] = colour;
      at += taken;
    }
  }
  return next;
}

// Controls, and marks that turn the direction of text, as something one can see.
export function visible(char: string): string {
  const code = char.codePointAt(0)!;
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  if ((code >= 0x80 && code < 0xa0) || (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) || code === 0x200e || code === 0x200f || code === 0x61c)
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
  return char;
}

const unusual = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
const unusualAll = new RegExp(unusual.source, 'g');

// The pieces of one line without its '\n', beginning in `start`; and the style in which the next line begins.
export function parseLine(line: string, start: Style = plain): { pieces: Piece[]; end: Style } {
  if (line.endsWith('\r')) line = line.slice(0, -1);
  if (!unusual.test(line)) return { pieces: line ? [{ text: line, style: start }] : [], end: start };
  return /[\r\b]|\x1b\[[0-9;]*[KCD]/.test(line) ? parseCells(line, start) : parsePieces(line, start);
}

function parsePieces(line: string, start: Style): { pieces: Piece[]; end: Style } {
  const pieces: Piece[] = [];
  let style = start;
  let at = 0;
  while (at < line.length) {
    let next = line.indexOf('\x1b', at);
    if (next < 0) next = line.length;
    if (next > at) pieces.push({ text: line.slice(at, next).replace(unusualAll, visible), style });
    if (next === line.length) break;
    escape.lastIndex = next;
    const match = escape.exec(line);
    if (match?.[2] === 'm') style = applySgr(style, match[1] ?? '');
    at = next + Math.max(1, match?.[0].length ?? 1);
  }
  return { pieces, end: style };
}

// As a terminal: text after a carriage return overwrites what was there, column by column.
function parseCells(line: string, start: Style): { pieces: Piece[]; end: Style } {
  const cells: { text: string; style: Style }[] = [];
  let style = start;
  let column = 0;
  for (let at = 0; at < line.length;) {
    const char = line[at]!;
    if (char === '\x1b') {
      escape.lastIndex = at;
      const match = escape.exec(line);
      const count = Number(match?.[1] || 1);
      if (match?.[2] === 'm') style = applySgr(style, match[1] ?? '');
      else if (match?.[2] === 'K') { if (match[1] === '2' || match[1] === '1') { cells.length = 0; column = Math.min(column, 0); } else cells.length = Math.min(cells.length, column); }
      else if (match?.[2] === 'C') column = Math.min(column + count, 10_000);
      else if (match?.[2] === 'D') column = Math.max(0, column - count);
      at += Math.max(1, match?.[0].length ?? 1);
    } else if (char === '\r') {
      column = 0;
      at++;
    } else if (char === '\b') {
      column = Math.max(0, column - 1);
      at++;
    } else {
      const whole = String.fromCodePoint(line.codePointAt(at)!);
      while (cells.length < column) cells.push({ text: ' ', style: plain });
      cells[column++] = { text: whole === '\t' ? whole : visible(whole), style };
      at += whole.length;
    }
  }
  const pieces: Piece[] = [];
  for (const cell of cells) {
    const last = pieces.at(-1);
    if (last && last.style === cell.style) last.text += cell.text;
    else pieces.push({ text: cell.text, style: cell.style });
  }
  return { pieces, end: style };
}

export const textOf = (pieces: Piece[]) => pieces.map((piece) => piece.text).join('');

export type Level = 'error' | 'warning' | 'debug' | '';
const errors = /\b(?:ERROR|CRITICAL|FATAL|Segmentation fault|[A-Z]\w*(?:Error|Exception))\b|Traceback \(most recent call last\)|^\s*Error:/;
const warnings = /\b(?:WARN(?:ING)?|[A-Z]\w*Warning)\b/;
const debugs = /\b(?:DEBUG|TRACE)\b/;

export function levelOf(text: string): Level {
  if (errors.test(text)) return 'error';
  if (warnings.test(text)) return 'warning';
  return debugs.test(text) ? 'debug' : '';
}
