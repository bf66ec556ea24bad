// Bytes of a log file as lines with their places in the file.
export interface Line {
  offset: number; // of its first byte
  text: string; // without '\n'; cut at mostText
  bytes: number; // its length in the file, without '\n'
  rank?: number; // in a merged log
  ms?: number; // in a merged log: it was written before this time, at most a fifth of a second
}

export const mostText = 20_000;
const decoder = new TextDecoder();

// The whole lines of `bytes`, which begin at `offset`; `rest` counts the bytes of a last line without its end.
export function splitLines(bytes: Uint8Array, offset: number): { lines: Line[]; rest: number } {
  const lines: Line[] = [];
  let begin = 0;
  for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, begin)) {
    lines.push(lineOf(bytes, begin, end, offset));
    begin = end + 1;
  }
  return { lines, rest: bytes.length - begin };
}

export function lineOf(bytes: Uint8Array, begin: number, end: number, offset: number): Line {
  return { offset: offset + begin, text: decoder.decode(bytes.subarray(begin, Math.min(end, begin + mostText))), bytes: end - begin };
}
