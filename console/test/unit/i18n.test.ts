import { describe, expect, it } from 'vitest';
import { en } from '../../src/i18n/en';
import { zh } from '../../src/i18n/zh';

const placeholders = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1]).sort();
const files = Object.entries(import.meta.glob('../../src/**/*.{ts,tsx}', { query: '?raw', eager: true, import: 'default' }) as Record<string, string>);

describe('texts in two languages', () => {
  it('have the same names and the same values to fill in', () => {
    expect(Object.keys(zh).sort()).toEqual(Object.keys(en).sort());
    for (const [name, text] of Object.entries(en)) expect(placeholders(zh[name as keyof typeof en]), name).toEqual(placeholders(text));
  });

  it('are Chinese in the Chinese dictionary', () => {
    const same = Object.entries(en).filter(([name]) => !/[\u4e00-\u9fff]/.test(zh[name as keyof typeof en])).map(([name]) => name);
    expect(same).toEqual(['events.state']);
  });

  it('are used: no name is left over', () => {
    const code = files.filter(([file]) => !file.includes('i18n')).map(([, text]) => text).join('\n');
    expect(files.length).toBeGreaterThan(20);
    const built = /^(state|cause|exit|rank|phase|events|theme|nav|job)\./;
    const unused = Object.keys(en).filter((name) => !built.test(name) && !code.includes(`'${name.replace(/\.(one|other)$/, '')}'`));
    expect(unused).toEqual([]);
  });

  it('stand in the dictionaries, not in the pages', () => {
    const allowed = new Set(['Muster', 'OpenAPI', 'PNG', 'SVG', 'CSV', 'PID', 'English']);
    const found: string[] = [];
    for (const [file, text] of files.filter(([name]) => name.endsWith('.tsx')))
      for (const match of text.matchAll(/<(\w+)[^<>{}]*>([^<>{}]*[A-Za-z]{3,}[^<>{}]*)<\/\1>/g))
        if (!['code', 'kbd', 'pre', 'option'].includes(match[1]!) && !allowed.has(match[2]!.trim()) && !/[=;()]/.test(match[2]!)) found.push(`${file}: ${match[2]}`);
    expect(found).toEqual([]);
  });
});
