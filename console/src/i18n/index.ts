// Texts of the console by name. `zh` has exactly the names of `en`: the compiler and a test hold it to that.
import { preferences } from '../preferences';
import { en } from './en';
import { zh } from './zh';

export type Key = keyof typeof en;
type Values = Record<string, string | number>;

export function t(key: Key, values?: Values): string {
  const text = (preferences().language === 'zh' ? zh : en)[key];
  return values ? text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole)) : text;
}

type Counted = { [K in Key]: K extends `${infer Base}.one` ? Base : never }[Key];

// A text that counts: "1 job", "3 jobs".
export function tn(base: Counted, count: number, values?: Values): string {
  const one = preferences().language === 'en' && count === 1;
  return t(`${base}.${one ? 'one' : 'other'}` as Key, { n: count.toLocaleString(preferences().language === 'zh' ? 'zh-CN' : 'en-GB'), ...values });
}

// A text by a name that the server sent; the name itself where there is no text.
export function tOr(key: string, fallback: string): string {
  return key in en ? t(key as Key) : fallback;
}
