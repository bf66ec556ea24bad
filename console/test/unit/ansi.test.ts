import { describe, expect, it } from 'vitest';
import { levelOf, parseLine, textOf } from '../../src/log/ansi';

const shown = (line: string) => textOf(parseLine(line).pieces);

describe('a line of a log', () => {
  it('keeps its text and takes colours from escapes', () => {
    const { pieces, end } = parseLine('a \x1b[31;1mred\x1b[0m b \x1b[38;2;1;2;3mx\x1b[38;5;196my');
    expect(pieces.map((piece) => [piece.text, piece.style])).toEqual([
      ['a ', {}], ['red', { fg: 1, bold: true }], [' b ', {}], ['x', { fg: 'rgb(1,2,3)' }], ['y', { fg: 'rgb(255,0,0)' }],
    ]);
    expect(end).toEqual({ fg: 'rgb(255,0,0)' });
  });

  it('begins in the colour that the line before left', () => {
    const { end } = parseLine('\x1b[32mgreen');
    expect(parseLine('still', end).pieces).toEqual([{ text: 'still', style: { fg: 2 } }]);
  });

  it('shows a progress bar as it was drawn last', () => {
    expect(shown('abcdef\rXY')).toBe('XYcdef');
    expect(shown(' 10%|#   |\r 50%|##  |\r100%|####|')).toBe('100%|####|');
    expect(shown('long text\r\x1b[Kshort')).toBe('short');
    expect(shown('a\b\bb\r\n'.trimEnd())).toBe('b');
    expect(shown('windows\r')).toBe('windows');
  });

  it('hides other escapes and shows controls and turned directions', () => {
    expect(shown('\x1b]0;title\x07text\x1b[2J\x1b[?25l!')).toBe('text!');
    expect(shown('a\x00b\x07')).toBe('a\u2400b\u2407');
    expect(shown('abc\u202edef')).toBe('abc⟨U+202E⟩def');
    expect(shown('\x1b')).toBe('');
    expect(shown('<script>alert(1)</script>')).toBe('<script>alert(1)</script>');
  });

  it('ends for any text', () => {
    for (const text of ['\x1b[', '\x1b[999999999999m', '\x1b[38;5m', '\x1b[38;2m', '\r\r\r', '\x1b[5C\x1b[9D', '\ud800', 'x'.repeat(100_000) + '\r'])
      expect(typeof shown(text)).toBe('string');
  });
});

describe('the level of a line', () => {
  it('is told by the words that loggers use', () => {
    expect(levelOf('2024 ERROR train')).toBe('error');
    expect(levelOf('RuntimeError: CUDA out of memory')).toBe('error');
    expect(levelOf('Traceback (most recent call last):')).toBe('error');
    expect(levelOf('UserWarning: lr')).toBe('warning');
    expect(levelOf('[DEBUG] x')).toBe('debug');
    expect(levelOf('terror and inference errors: 0')).toBe('');
  });
});
