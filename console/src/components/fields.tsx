// Fields of a form over a job file: each shows one value of it, and its fault.
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { t } from '../i18n';
import { Button } from './ui';

export function Field({ label, hint, fault, children, wide }: { label: string; hint?: ComponentChildren; fault?: string | undefined; children: ComponentChildren; wide?: boolean }) {
  return (
    <label class={`field ${wide ? 'wide' : ''} ${fault ? 'bad' : ''}`}>
      <span class="field-label">{label}</span>
      {children}
      {fault ? <span class="field-error" role="alert">{fault}</span> : hint && <span class="field-hint">{hint}</span>}
    </label>
  );
}

// A text that is passed on as it is typed; changed from outside while it is not being typed.
export function TextInput({ value, onChange, placeholder, list, multiline, invalid, number }: {
  value: string; onChange: (value: string) => void; placeholder?: string; list?: string[]; multiline?: boolean; invalid?: boolean; number?: boolean;
}) {
  const [text, setText] = useState(value);
  const [typing, setTyping] = useState(false);
  useEffect(() => {
    if (!typing) setText(value);
  }, [value, typing]);
  const [id] = useState(() => `list-${Math.random().toString(36).slice(2)}`);
  const common = {
    value: text, placeholder, spellcheck: false, 'aria-invalid': invalid,
    onFocus: () => setTyping(true), onBlur: () => setTyping(false),
    onInput: (event: { currentTarget: { value: string } }) => { setText(event.currentTarget.value); onChange(event.currentTarget.value); },
  };
  if (multiline) return <textarea rows={3} {...common} />;
  return <><input type="text" inputMode={number ? 'numeric' : undefined} list={list ? id : undefined} {...common} />{list && <datalist id={id}>{list.map((each) => <option key={each} value={each} />)}</datalist>}</>;
}

// Names and values, in their order. A name that is being typed may be empty or twice for the moment.
export function PairsField({ label, hint, value, faults, onChange, names }: {
  label: string; hint?: ComponentChildren; value: Record<string, unknown>; faults: Map<string, string>; onChange: (value: Record<string, unknown>) => void; names: [string, string];
}) {
  const rowsOf = (map: Record<string, unknown>): [string, string][] => Object.entries(map).map(([name, each]) => [name, each !== null && typeof each === 'object' ? JSON.stringify(each) : String(each ?? '')]);
  const [rows, setRows] = useState(rowsOf(value));
  const given = JSON.stringify(value);
  const mapOf = (list: [string, string][]) => Object.fromEntries(list.filter(([name]) => name).map(([name, text]) => [name, name in value && rowsOf({ [name]: value[name] })[0]![1] === text ? value[name] : typed(text)]));
  useEffect(() => {
    if (JSON.stringify(mapOf(rows)) !== given) setRows(rowsOf(value));
  }, [given]);
  const change = (list: [string, string][]) => {
    setRows(list);
    onChange(mapOf(list));
  };
  return (
    <fieldset class="field wide pairs">
      <legend class="field-label">{label}</legend>
      {rows.map(([name, text], at) => (
        <div key={at} class={`pair ${faults.has(name) ? 'bad' : ''}`}>
          <input type="text" value={name} placeholder={names[0]} aria-label={`${label}: ${names[0]}`} spellcheck={false} onInput={(event) => change(rows.map((row, i) => (i === at ? [event.currentTarget.value, row[1]] : row)))} />
          <input type="text" value={text} placeholder={names[1]} aria-label={`${label}: ${name || names[1]}`} aria-invalid={faults.has(name)} spellcheck={false} onInput={(event) => change(rows.map((row, i) => (i === at ? [row[0], event.currentTarget.value] : row)))} />
          <Button look="ghost" icon="cross" aria-label={t('new.removeRow', { name })} onClick={() => change(rows.filter((_, i) => i !== at))} />
          {faults.has(name) && <span class="field-error" role="alert">{faults.get(name)}</span>}
        </div>
      ))}
      <div class="pair-foot"><Button look="ghost" icon="plus" onClick={() => setRows([...rows, ['', '']])}>{t('new.addRow')}</Button>{hint && <span class="field-hint">{hint}</span>}</div>
    </fieldset>
  );
}

// Numbers and truth stay what they look like, so that `lr: 0.1` is not quoted.
export function typed(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true';
  if (/^-?(0|[1-9]\d{0,14})(\.\d+)?$/.test(text) && String(Number(text)) === text) return Number(text);
  return text;
}
