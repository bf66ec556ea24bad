// The beginning of a file as text, a table, JSON or an image; a file is never shown as a page.
import { useEffect, useState } from 'preact/hooks';
import { useResource } from '../api/resource';
import { formatBytes } from '../format';
import { t } from '../i18n';
import { parseLine, textOf } from '../log/ansi';
import { ErrorBox, Loading } from './ui';

const mostText = 256 << 10;
const mostImage = 16 << 20;
const imageTypes: Record<string, string> = { png: 'image/png', jpg: 'image/jpeg', jpeg: 'image/jpeg', gif: 'image/gif', webp: 'image/webp', bmp: 'image/bmp' };
const mostRows = 200;

const ending = (name: string) => name.slice(name.lastIndexOf('.') + 1).toLowerCase();

function csvRows(text: string, separator: string): string[][] {
  const rows: string[][] = [[]];
  let cell = '';
  let quoted = false;
  for (let at = 0; at < text.length && rows.length <= mostRows; at++) {
    const char = text[at]!;
    if (quoted) {
      if (char === '"' && text[at + 1] === '"') { cell += '"'; at++; } else if (char === '"') quoted = false;
      else cell += char;
    } else if (char === '"' && cell === '') quoted = true;
    else if (char === separator) { rows.at(-1)!.push(cell); cell = ''; } else if (char === '\n') { rows.at(-1)!.push(cell.replace(/\r$/, '')); cell = ''; rows.push([]); } else cell += char;
  }
  if (cell) rows.at(-1)!.push(cell);
  return rows.filter((row) => row.length > 0);
}

function Text({ name, bytes }: { name: string; bytes: Uint8Array }) {
  const text = new TextDecoder().decode(bytes);
  const kind = ending(name);
  if (bytes.subarray(0, 4096).includes(0)) return <p class="dim quiet">{t('preview.binary')}</p>;
  if (kind === 'csv' || kind === 'tsv') {
    const [head, ...rows] = csvRows(text, kind === 'csv' ? ',' : '\t');
    return <div class="scroll-x"><table><thead><tr>{head?.map((cell, at) => <th key={at}>{cell}</th>)}</tr></thead><tbody>{rows.map((row, at) => <tr key={at}>{row.map((cell, i) => <td key={i}>{cell}</td>)}</tr>)}</tbody></table></div>;
  }
  let shown = text;
  if (kind === 'json' && bytes.length < mostText) {
    try {
      shown = JSON.stringify(JSON.parse(text), null, 2);
    } catch {
      // Not JSON after all: it is shown as it is.
    }
  }
  return <pre class="code preview">{shown.split('\n').slice(0, 5000).map((line) => textOf(parseLine(line).pieces)).join('\n')}</pre>;
}

function Image({ bytes, type, name }: { bytes: Uint8Array<ArrayBuffer>; type: string; name: string }) {
  const [url, setUrl] = useState('');
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([bytes], { type }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [bytes, type]);
  return url ? <img class="preview" src={url} alt={name} /> : null;
}

export function Preview({ id, name, read }: { id: string; name: string; read: (limit: number, signal: AbortSignal) => Promise<{ bytes: Uint8Array<ArrayBuffer>; size: number }> }) {
  const type = imageTypes[ending(name)];
  const limit = type ? mostImage : mostText;
  const { data, error } = useResource(`preview ${id}`, (signal) => read(limit, signal));
  if (error) return <ErrorBox error={error} />;
  if (!data) return <Loading />;
  return (
    <>
      {type && data.size <= mostImage ? <Image bytes={data.bytes} type={type} name={name} /> : <Text name={name} bytes={data.bytes} />}
      {data.size > data.bytes.length && <p class="dim">{t('preview.cut', { shown: formatBytes(data.bytes.length), size: formatBytes(data.size) })}</p>}
    </>
  );
}
