// The lines of a log: only those in view are in the document, at any size of the log.
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Button, ErrorBox } from '../components/ui';
import { formatBytes, formatClock, formatCount } from '../format';
import { t } from '../i18n';
import { levelOf, parseLine, textOf, type Piece, type Style } from './ansi';
import type { LogSource } from './source';
import type { Line } from './split';

export const lineHeight = 20;
const extra = 10;
const lookBack = 100; // lines above the view that may have begun a colour
const mostWrapped = 1500;

function colourClass(prefix: string, colour: Style['fg']): string {
  return typeof colour === 'number' ? `${prefix}${colour}` : '';
}

function PieceView({ piece, find }: { piece: Piece; find: RegExp | undefined }) {
  const { style } = piece;
  const fg = style.inverse ? style.bg ?? 'var(--panel)' : style.fg;
  const bg = style.inverse ? style.fg ?? 'var(--text)' : style.bg;
  const classes = [style.bold && 'b', style.dim && 'd', style.italic && 'i', style.underline && 'u', colourClass('f', fg), colourClass('g', bg)].filter(Boolean).join(' ');
  const colours = { ...(typeof fg === 'string' ? { color: fg } : {}), ...(typeof bg === 'string' ? { backgroundColor: bg } : {}) };
  return <span class={classes || undefined} style={colours}>{find ? marked(piece.text, find) : piece.text}</span>;
}

function marked(text: string, find: RegExp): ComponentChildren {
  const parts: ComponentChildren[] = [];
  let at = 0;
  for (const match of text.matchAll(find)) {
    if (!match[0]) continue;
    if (match.index > at) parts.push(text.slice(at, match.index));
    parts.push(<mark>{match[0]}</mark>);
    at = match.index + match[0].length;
  }
  return at === 0 ? text : [...parts, text.slice(at)];
}

// The style in which each line from `first` on begins, from the escapes of the lines above it.
function startStyle(lines: Line[], first: number): Style {
  let style: Style = {};
  for (let at = Math.max(0, first - lookBack); at < first; at++) {
    const { text } = lines[at]!;
    if (text.includes('\x1b')) style = parseLine(text, style).end;
  }
  return style;
}

export interface Shown {
  line: Line;
  pieces: Piece[];
}

function Row({ line, pieces, find, current, digits, times }: { line: Line; pieces: Piece[]; find: RegExp | undefined; current: boolean; digits: number; times: boolean }) {
  return (
    <div class={`log-line ${levelOf(textOf(pieces))} ${current ? 'current' : ''}`} data-offset={line.offset}>
      {times && line.ms !== undefined && <time>{formatClock(line.ms)}</time>}
      {line.rank !== undefined && <span class={`rank r${line.rank % 8}`}>{String(line.rank).padStart(digits)}</span>}
      {pieces.map((piece, at) => <PieceView key={at} piece={piece} find={find} />)}
      {line.bytes > line.text.length * 4 && <em class="cut">{t('log.cut', { size: formatBytes(line.bytes) })}</em>}
    </div>
  );
}

export function useSource(source: LogSource): { version: number; prepended: { count: number } } {
  const [version, setVersion] = useState(0);
  const prepended = useMemo(() => ({ count: 0 }), [source]);
  useEffect(() => {
    let queued = false;
    source.open((count) => {
      prepended.count += count;
      if (queued) return;
      queued = true;
      // Once per frame, however often something comes; a hidden page has no frames.
      const draw = () => {
        queued = false;
        setVersion((n) => n + 1);
      };
      if (document.hidden) setTimeout(draw, 100);
      else requestAnimationFrame(draw);
    });
    return () => source.close();
  }, [source]);
  return { version, prepended };
}

export interface Target {
  offset: number;
  serial: number;
}

export function LogView({ source, find, wrap, times, follow, onFollow, target, empty }: {
  source: LogSource;
  find: RegExp | undefined;
  wrap: boolean;
  times: boolean; // of a merged log
  follow: boolean;
  onFollow: (follow: boolean) => void;
  target: Target | undefined;
  empty: string;
}) {
  const ref = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600 });
  const { version, prepended } = useSource(source);
  const followRef = useRef(follow);
  followRef.current = follow;
  const mine = useRef(0); // the scroll position that this component has set
  const { lines } = source;

  const scrollTo = (top: number) => {
    const element = ref.current;
    if (!element) return;
    element.scrollTop = top;
    mine.current = element.scrollTop;
    setView({ top: element.scrollTop, height: element.clientHeight });
  };

  // After a change of the lines the same text stays in view, or the end does.
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    const moved = prepended.count;
    prepended.count = 0;
    if (followRef.current && source.atEnd) scrollTo(element.scrollHeight);
    else if (moved !== 0) scrollTo(Math.max(0, element.scrollTop + moved * lineHeight));
  }, [version, wrap, follow]);

  useEffect(() => {
    if (!target) return;
    let wanted = true;
    const place = () => {
      const at = source.lines.findIndex((line) => line.offset >= target.offset);
      const element = ref.current;
      if (at >= 0 && element) scrollTo(Math.max(0, at * lineHeight - element.clientHeight / 3));
    };
    const known = source.lines.length > 0 && source.lines[0]!.offset <= target.offset && source.lines.at(-1)!.offset >= target.offset;
    onFollow(false);
    if (known) place();
    else void source.seek(target.offset).then(() => wanted && requestAnimationFrame(() => requestAnimationFrame(place)));
    return () => {
      wanted = false;
    };
  }, [target?.serial]);

  useLayoutEffect(() => {
    const element = ref.current!;
    const observer = new ResizeObserver(() => {
      setView({ top: element.scrollTop, height: element.clientHeight });
      if (followRef.current) scrollTo(element.scrollHeight);
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  const scrolled = () => {
    // The event of a scroll can come after the view has gone.
    const element = ref.current;
    if (!element) return;
    setView({ top: element.scrollTop, height: element.clientHeight });
    const own = Math.abs(element.scrollTop - mine.current) < 2;
    const below = element.scrollHeight - element.scrollTop - element.clientHeight;
    if (!own) {
      if (followRef.current && below > lineHeight * 2) onFollow(false);
      else if (!followRef.current && below < 2 && source.atEnd) onFollow(true);
    }
    if (source.loading) return;
    if (element.scrollTop < lineHeight * 40 && !source.atStart && !followRef.current) void source.earlier();
    if (below < lineHeight * 40 && !source.atEnd) void source.later();
  };

  const first = wrap ? Math.max(0, lines.length - mostWrapped) : Math.max(0, Math.min(Math.floor(view.top / lineHeight), lines.length - 1) - extra);
  const last = wrap ? lines.length : Math.min(lines.length, Math.ceil((view.top + view.height) / lineHeight) + extra);
  const rows: ComponentChildren[] = [];
  let style = startStyle(lines, first);
  const digits = source.canSeek ? 0 : String(Math.max(0, ...lines.slice(first, last).map((line) => line.rank ?? 0))).length;
  for (let at = first; at < last; at++) {
    const line = lines[at]!;
    const { pieces, end } = parseLine(line.text, style);
    style = end;
    rows.push(<Row key={`${line.rank ?? 0}:${line.offset}`} line={line} pieces={pieces} find={find} current={line.offset === target?.offset} digits={digits} times={times} />);
  }
  const place = source.canSeek && source.size > 0 && lines[first] ? Math.min(1, lines[Math.min(lines.length - 1, first + extra)]!.offset / source.size) : 1;
  return (
    <div class="log-frame">
      {source.error && <ErrorBox error={source.error} />}
      <div class={`log ${wrap ? 'wrapped' : ''}`} ref={ref} onScroll={scrolled} tabIndex={0} role="log" aria-live="off" aria-label={t('job.logs')}>
        {lines.length === 0 ? <p class="log-empty">{source.loading ? t('common.loading') : empty}</p>
          : wrap ? <div>{rows}</div>
          : <div style={{ height: `${lines.length * lineHeight}px` }}><div class="log-rows" style={{ transform: `translateY(${first * lineHeight}px)` }}>{rows}</div></div>}
      </div>
      <div class="log-status">
        {source.canSeek ? (
          <>
            <input type="range" min={0} max={1000} value={Math.round(place * 1000)} aria-label={t('log.place')} aria-valuetext={`${Math.round(place * 100)} %`}
              onChange={(event) => { onFollow(false); void source.seek(Math.floor((Number(event.currentTarget.value) / 1000) * source.size)).then(() => scrollTo(0)); }} />
            <span>{formatBytes(source.size)}</span>
          </>
        ) : <span>{t('log.lines', { n: formatCount(lines.length) })}</span>}
        {!follow && <Button look="ghost" icon="down" onClick={() => { void source.toEnd().then(() => onFollow(true)); }}>{t('log.toEnd')}</Button>}
      </div>
    </div>
  );
}
