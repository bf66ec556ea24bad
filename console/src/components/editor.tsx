// A text editor with line numbers, marked lines and indentation by Tab; plain, so that every browser's own
// undo, search and input methods work in it.
import { useLayoutEffect, useRef } from 'preact/hooks';

export function Editor({ value, onInput, marks, label }: { value: string; onInput: (text: string) => void; marks: Map<number, string>; label: string }) {
  const area = useRef<HTMLTextAreaElement>(null);
  const gutter = useRef<HTMLDivElement>(null);
  // A change from outside keeps the caret where it was.
  useLayoutEffect(() => {
    const element = area.current!;
    if (element.value === value) return;
    const { selectionStart, selectionEnd } = element;
    element.value = value;
    if (document.activeElement === element) element.setSelectionRange(Math.min(selectionStart, value.length), Math.min(selectionEnd, value.length));
  }, [value]);
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Tab' || event.shiftKey || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    document.execCommand('insertText', false, '  ');
  };
  const count = value.split('\n').length;
  return (
    <div class="editor">
      <div class="gutter" ref={gutter} aria-hidden="true">
        {Array.from({ length: count }, (_, at) => <div key={at} class={marks.has(at + 1) ? 'bad' : ''} title={marks.get(at + 1)}>{at + 1}</div>)}
      </div>
      <textarea ref={area} aria-label={label} aria-invalid={marks.size > 0} spellcheck={false} autocomplete="off" autocapitalize="off" wrap="off"
        onKeyDown={press} onInput={(event) => onInput(event.currentTarget.value)} onScroll={(event) => { gutter.current!.scrollTop = event.currentTarget.scrollTop; }} />
    </div>
  );
}
