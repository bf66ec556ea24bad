import { describe, expect, it } from 'vitest';
import { mostText, splitLines } from '../../src/log/split';

const bytes = (text: string) => new TextEncoder().encode(text);

describe('bytes of a log', () => {
  it('become lines with their places in the file', () => {
    const { lines, rest } = splitLines(bytes('one\nzwölf\n\nhalf'), 100);
    expect(lines).toEqual([
      { offset: 100, text: 'one', bytes: 3 }, { offset: 104, text: 'zwölf', bytes: 6 }, { offset: 111, text: '', bytes: 0 },
    ]);
    expect(rest).toBe(4);
  });

  it('are cut where a line is very long', () => {
    const { lines } = splitLines(bytes('x'.repeat(1_000_000) + '\n'), 0);
    expect(lines[0]!.text.length).toBe(mostText);
    expect(lines[0]!.bytes).toBe(1_000_000);
  });

  it('need not be UTF-8', () => {
    expect(splitLines(new Uint8Array([0xff, 0x41, 0x0a]), 0).lines[0]!.text).toBe('\ufffdA');
  });
});
