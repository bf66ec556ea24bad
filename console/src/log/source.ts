// What a log view shows: a window of lines that grows at both ends, and can be moved to any place of a file
// of any size.
import { query, request } from '../api/client';
import { lineOf, mostText, splitLines, type Line } from './split';

const chunkBytes = 256 << 10;
const openLines = 2000;
const mostLines = 60_000; // kept in memory; the far end is dropped
const wholeBytes = 512 << 10; // a log up to this size is loaded from its beginning
const slowMs = 1000;
const fastMs = 200;

export interface LogSource {
  readonly lines: Line[];
  readonly size: number; // of the file; of a merged log the number of lines
  readonly atStart: boolean;
  readonly atEnd: boolean;
  readonly error: Error | undefined;
  readonly loading: boolean;
  readonly canSeek: boolean;
  // Calls `changed(prepended)` after every change; `prepended` lines were added at the beginning.
  open(changed: (prepended: number) => void): void;
  close(): void;
  earlier(): Promise<void>;
  later(): Promise<void>;
  seek(offset: number): Promise<void>;
  toEnd(): Promise<void>;
}

// The log of one rank, read by byte ranges.
export class RankSource implements LogSource {
  lines: Line[] = [];
  size = 0;
  error: Error | undefined;
  loading = false;
  readonly canSeek = true;
  private begin = 0; // offsets of the window in the file
  private end = 0;
  private tail: Line | undefined; // a last line without its end, also in `lines`
  private changed: (prepended: number) => void = () => {};
  private abort = new AbortController();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private busy: Promise<void> = Promise.resolve();

  constructor(private job: number, private rank: number, private attempt: number, private live: () => boolean) {}

  get atStart() { return this.begin === 0; }
  get atEnd() { return this.end >= this.size; }

  open(changed: (prepended: number) => void) {
    this.changed = changed;
    void this.run(() => this.loadEnd()).then(() => this.poll(fastMs));
  }

  close() {
    this.abort.abort();
    clearTimeout(this.timer);
  }

  earlier() {
    return this.run(async () => {
      if (this.begin === 0) return;
      const from = Math.max(0, this.begin - chunkBytes);
      const { bytes } = await this.read({ offset: from, limit: this.begin - from });
      const skip = from === 0 ? 0 : bytes.indexOf(10) + 1;
      // A chunk inside one very long line: its last part is shown as a line.
      const at = skip === 0 && from > 0 ? 0 : skip;
      const { lines, rest } = splitLines(bytes.subarray(at), from + at);
      if (rest > 0) lines.push(lineOf(bytes, bytes.length - rest, bytes.length, from));
      this.lines = lines.concat(this.lines);
      this.begin = from + at;
      this.trim('end');
      this.changed(lines.length);
    });
  }

  later() {
    return this.run(async () => {
      if (!this.atEnd) await this.append();
    });
  }

  seek(offset: number) {
    return this.run(async () => {
      const from = Math.max(0, Math.min(offset, this.size) - chunkBytes / 4);
      const { bytes } = await this.read({ offset: from, limit: chunkBytes });
      const skip = from === 0 ? 0 : bytes.indexOf(10) + 1;
      this.reset(from + skip);
      this.take(bytes.subarray(skip));
      this.changed(0);
    });
  }

  toEnd() {
    return this.run(() => this.loadEnd());
  }

  // One request after the other: each works on the window that the one before has left.
  private run(step: () => Promise<void>): Promise<void> {
    this.busy = this.busy.then(async () => {
      if (this.abort.signal.aborted) return;
      this.loading = true;
      try {
        await step();
        this.error = undefined;
      } catch (error) {
        if (this.abort.signal.aborted) return;
        this.error = error as Error;
        this.changed(0);
      } finally {
        this.loading = false;
      }
    });
    return this.busy;
  }

  private async read(range: { offset?: number; limit?: number; tail?: number }) {
    const response = await request(`/jobs/${this.job}/ranks/${this.rank}/log${query({ attempt: this.attempt || undefined, ...range })}`, { signal: this.abort.signal });
    const bytes = new Uint8Array(await response.arrayBuffer());
    const offset = Number(response.headers.get('X-Muster-Offset'));
    this.size = Math.max(Number(response.headers.get('X-Muster-Size')), offset + bytes.length);
    return { bytes, offset };
  }

  private reset(offset: number) {
    this.lines = [];
    this.tail = undefined;
    this.begin = this.end = offset;
  }

  private async loadEnd() {
    let { bytes, offset } = await this.read({ tail: openLines });
    if (offset > 0 && this.size <= wholeBytes) ({ bytes, offset } = await this.read({ offset: 0, limit: wholeBytes }));
    this.reset(offset);
    this.take(bytes);
    this.changed(0);
  }

  private async append() {
    // A last line without its end is read again with the rest.
    const from = this.tail ? this.tail.offset : this.end;
    const limit = Math.max(chunkBytes * 4, this.tail ? this.tail.bytes + chunkBytes : 0);
    const { bytes } = await this.read({ offset: from, limit });
    if (from + bytes.length === this.end) return;
    if (this.tail) this.lines.pop();
    this.tail = undefined;
    this.end = from;
    this.take(bytes);
    this.changed(0);
  }

  private take(bytes: Uint8Array) {
    const { lines, rest } = splitLines(bytes, this.end);
    if (rest > 0) {
      this.tail = lineOf(bytes, bytes.length - rest, bytes.length, this.end);
      // The beginning of a huge line is enough to show it; its bytes are not read twice.
      if (this.tail.bytes > mostText * 8) this.tail = undefined;
      lines.push(lineOf(bytes, bytes.length - rest, bytes.length, this.end));
      if (this.tail) this.tail = lines.at(-1);
    }
    // Not push(...lines), whose arguments fill the stack.
    this.lines = this.lines.concat(lines);
    this.end += bytes.length;
    this.trim('start');
  }

  private trim(side: 'start' | 'end') {
    const over = this.lines.length - mostLines;
    if (over <= 0) return;
    if (side === 'start') {
      this.lines = this.lines.slice(over);
      this.begin = this.lines[0]!.offset;
      this.changed(-over);
    } else {
      this.end = this.lines[mostLines]!.offset;
      this.lines = this.lines.slice(0, mostLines);
      this.tail = undefined;
    }
  }

  // Asks for what was added: often while something comes, seldom while nothing does, and not while the page
  // cannot be seen.
  private poll(delay: number) {
    if (this.abort.signal.aborted) return;
    this.timer = setTimeout(async () => {
      const before = this.size;
      const following = this.atEnd;
      if (!document.hidden && (this.live() || this.error)) {
        if (following) await this.run(() => this.append());
        else await this.run(async () => void (await this.read({ offset: this.size, limit: 1 })));
      }
      if (!following && this.size !== before) this.changed(0);
      this.poll(this.size !== before ? fastMs : Math.min(slowMs, delay * 1.5));
    }, delay);
  }
}

interface LogEvent {
  attempt: number;
  rank: number;
  offset: number;
  text: string;
  wall_ms?: number;
}

// The logs of all ranks as one: the last lines of each, and then what is added.
export class MergedSource implements LogSource {
  lines: Line[] = [];
  error: Error | undefined;
  loading = false;
  readonly canSeek = false;
  readonly atStart = true;
  readonly atEnd = true;
  private position = '';
  private partial = new Map<number, Line>();
  private changed: (prepended: number) => void = () => {};
  private abort = new AbortController();
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private job: number, private attempt: number, private live: () => boolean) {}

  get size() { return this.lines.length; }

  open(changed: (prepended: number) => void) {
    this.changed = changed;
    this.loading = true;
    void this.fetch().then(() => {
      this.loading = false;
      this.changed(0);
      this.poll(fastMs);
    });
  }

  close() {
    this.abort.abort();
    clearTimeout(this.timer);
  }

  earlier() { return Promise.resolve(); }
  later() { return Promise.resolve(); }
  seek() { return Promise.resolve(); }
  toEnd() { return Promise.resolve(); }

  private async fetch(): Promise<boolean> {
    try {
      const response = await request(`/jobs/${this.job}/logs${query({ attempt: this.attempt || undefined, times: true, tail: this.position ? undefined : 1000 })}`, {
        signal: this.abort.signal,
        headers: { Accept: 'text/event-stream', ...(this.position ? { 'Last-Event-ID': this.position } : {}) },
      });
      const added = this.take(await response.text());
      this.error = undefined;
      return added;
    } catch (error) {
      if (!this.abort.signal.aborted) this.error = error as Error;
      return false;
    }
  }

  private take(stream: string): boolean {
    const lines: Line[] = [];
    for (const block of stream.split('\n\n')) {
      let kind = '', id = '', data = '';
      for (const field of block.split('\n')) {
        if (field.startsWith('event: ')) kind = field.slice(7);
        else if (field.startsWith('id: ')) id = field.slice(4);
        else if (field.startsWith('data: ')) data = field.slice(6);
      }
      if (id) this.position = id;
      if (kind === 'log') this.add(JSON.parse(data) as LogEvent, lines);
    }
    if (lines.length) this.lines = this.lines.concat(lines);
    const over = this.lines.length - mostLines;
    if (over > 0) {
      this.lines = this.lines.slice(over);
      this.changed(-over);
    }
    return lines.length > 0;
  }

  private add(event: LogEvent, lines: Line[]) {
    let offset = event.offset;
    const parts = event.text.split('\n');
    parts.forEach((text, at) => {
      const last = at === parts.length - 1;
      const begun = this.partial.get(event.rank);
      if (begun) {
        begun.text = (begun.text + text).slice(0, mostText);
        begun.bytes += text.length;
        if (!last) this.partial.delete(event.rank);
      } else if (!last || text) {
        const line: Line = { offset, text: text.slice(0, mostText), bytes: text.length, rank: event.rank, ...(event.wall_ms ? { ms: event.wall_ms } : {}) };
        lines.push(line);
        if (last) this.partial.set(event.rank, line);
      }
      offset += text.length + 1;
    });
  }

  private poll(delay: number) {
    if (this.abort.signal.aborted) return;
    this.timer = setTimeout(async () => {
      let added = false;
      if (!document.hidden && (this.live() || this.error)) {
        added = await this.fetch();
        this.changed(0);
      }
      this.poll(added ? fastMs : Math.min(slowMs, delay * 1.5));
    }, delay);
  }
}
