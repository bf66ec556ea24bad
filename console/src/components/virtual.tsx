// Rows of one height, of which only those in view are in the document.
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

const extra = 6; // rows kept above and below the view

export function VirtualRows({ count, rowHeight, label, render, onShow, head }: {
  count: number;
  rowHeight: number;
  label: string;
  render: (index: number) => ComponentChildren;
  onShow?: (first: number, last: number) => void;
  head?: ComponentChildren;
}) {
  const ref = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 800 });
  useLayoutEffect(() => {
    const element = ref.current!;
    const measure = () => setView({ top: element.scrollTop, height: element.clientHeight });
    measure();
    element.addEventListener('scroll', measure, { passive: true });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => {
      element.removeEventListener('scroll', measure);
      observer.disconnect();
    };
  }, []);
  const first = Math.max(0, Math.floor(view.top / rowHeight) - extra);
  const last = Math.min(count - 1, Math.ceil((view.top + view.height) / rowHeight) + extra);
  useEffect(() => onShow?.(first, Math.max(first, last)), [first, last, onShow]);
  const rows: ComponentChildren[] = [];
  for (let index = first; index <= last; index++) rows.push(render(index));
  return (
    <div class="virtual" ref={ref} role="grid" aria-label={label} aria-rowcount={count + 1} tabIndex={0}>
      {head}
      <div class="virtual-space" role="rowgroup" style={{ height: `${count * rowHeight}px` }}>
        <div style={{ transform: `translateY(${first * rowHeight}px)` }} role="presentation">{rows}</div>
      </div>
    </div>
  );
}
