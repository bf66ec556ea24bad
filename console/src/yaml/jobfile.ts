// A job file as text that a form can edit: a change touches the changed value only, comments survive.
import { Document, isCollection, isMap, isScalar, LineCounter, parseDocument, stringify, type Node } from 'yaml';

export type Path = (string | number)[];
export interface SyntaxFault {
  message: string;
  line: number;
}

export interface JobFile {
  text: string;
  document: Document.Parsed;
  lines: LineCounter;
  faults: SyntaxFault[];
  spec: Record<string, unknown>; // empty where the text cannot be read
}

export function readJobFile(text: string): JobFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, version: '1.2' });
  const faults = document.errors.map((error) => ({ message: error.message, line: lines.linePos(error.pos[0]).line }));
  let spec: unknown = {};
  if (faults.length === 0) {
    if (document.contents !== null && !isMap(document.contents)) faults.push({ message: 'a job file is a map', line: 1 });
    else spec = document.toJS({ maxAliasCount: 100 }) ?? {};
  }
  return { text, document, lines, faults, spec: (spec ?? {}) as Record<string, unknown> };
}

export function valueAt(spec: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, key) => (value !== null && typeof value === 'object' ? (value as Record<string | number, unknown>)[key] : undefined), spec);
}

// How a scalar is written: as it is where YAML reads it back as the same value, else quoted.
export function scalarText(value: string | number | boolean): string {
  return stringify(value, { lineWidth: 0 }).replace(/\n$/, '');
}

const isPlain = (value: unknown): value is string | number | boolean => ['string', 'number', 'boolean'].includes(typeof value);

// The text with `value` at `path`; without that entry for undefined and for an empty text or map.
export function withValue(file: JobFile, path: Path, value: unknown): string {
  const empty = value === undefined || value === '' || (value !== null && typeof value === 'object' && Object.keys(value).length === 0);
  const document = file.faults.length === 0 ? file.document : undefined;
  if (!document) return file.text;
  if (empty) return removed(file, path);
  const node = document.getIn(path, true) as Node | undefined;
  if (isScalar(node) && node.range && isPlain(value)) {
    const text = scalarText(value);
    const block = node.type === 'BLOCK_LITERAL' || node.type === 'BLOCK_FOLDED';
    if (!text.includes('\n') && !block) return file.text.slice(0, node.range[0]) + text + file.text.slice(node.range[1]);
  }
  const copy = parseDocument(file.text);
  if (copy.contents === null) copy.contents = copy.createNode({}) as unknown as typeof copy.contents;
  // A parent that is written as a short text, such as `resources: npu:8`, gives way to a map.
  for (let depth = 1; depth < path.length; depth++) {
    const parent = copy.getIn(path.slice(0, depth), true);
    if (parent !== undefined && !isCollection(parent)) copy.setIn(path.slice(0, depth), copy.createNode({}));
  }
  const created = isPlain(value) ? value : copy.createNode(value);
  copy.setIn(path, created);
  return copy.toString({ flowCollectionPadding: false, lineWidth: 0 });
}

function removed(file: JobFile, path: Path): string {
  const copy = parseDocument(file.text);
  if (copy.contents === null || !copy.hasIn(path)) return file.text;
  copy.deleteIn(path);
  for (let depth = path.length - 1; depth > 0; depth--) {
    const parent = copy.getIn(path.slice(0, depth), true);
    if (!isCollection(parent) || parent.items.length > 0) break;
    copy.deleteIn(path.slice(0, depth));
  }
  return copy.contents && isMap(copy.contents) && copy.contents.items.length === 0 ? '' : copy.toString({ flowCollectionPadding: false, lineWidth: 0 });
}

// The line, from 1, of the value that a fault of the server names: "resources.devices", "inputs.data", "run[2]".
export function lineOfPath(file: JobFile, path: string): number | undefined {
  const parts: Path = path.split(/\.|\[(\d+)\]/).filter((part) => part !== undefined && part !== '').map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  for (let length = parts.length; length > 0; length--) {
    const node = file.document.getIn(parts.slice(0, length), true) as Node | undefined;
    if (node?.range) return file.lines.linePos(node.range[0]).line;
  }
  return undefined;
}

// The job file of an earlier job, without what only the server needs.
export function textOfSpec(spec: Record<string, unknown>): string {
  const { muster: _, ...rest } = spec;
  return stringify(rest, { lineWidth: 0 });
}
