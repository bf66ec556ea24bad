// What the user has chosen for this browser: language, theme, time zone.
import { useEffect, useState } from 'preact/hooks';

export type Language = 'en' | 'zh';
export type Theme = 'auto' | 'light' | 'dark';
export interface Preferences {
  language: Language;
  theme: Theme;
  timeZone: string; // empty: the browser's
  userName: string; // sent with jobs
}

const storageKey = 'muster';
const listeners = new Set<() => void>();

function stored(): Partial<Preferences> {
  try {
    return JSON.parse(localStorage.getItem(storageKey) ?? '{}') as Partial<Preferences>;
  } catch {
    return {};
  }
}

function withDefaults(given: Partial<Preferences>): Preferences {
  const browser: Language = typeof navigator !== 'undefined' && navigator.language?.toLowerCase().startsWith('zh') ? 'zh' : 'en';
  return {
    language: given.language === 'zh' || given.language === 'en' ? given.language : browser,
    theme: given.theme === 'light' || given.theme === 'dark' ? given.theme : 'auto',
    timeZone: given.timeZone ?? '',
    userName: given.userName ?? '',
  };
}

let current = withDefaults(typeof localStorage === 'undefined' ? {} : stored());
export const preferences = () => current;

export function applyPreferences() {
  const root = document.documentElement;
  root.lang = current.language === 'zh' ? 'zh-CN' : 'en';
  if (current.theme === 'auto') delete root.dataset.theme;
  else root.dataset.theme = current.theme;
}

export function setPreferences(change: Partial<Preferences>) {
  current = { ...current, ...change };
  try {
    localStorage.setItem(storageKey, JSON.stringify(current));
  } catch {
    // A browser that keeps nothing forgets the choice with the page.
  }
  applyPreferences();
  listeners.forEach((listener) => listener());
}

export function usePreferences(): Preferences {
  const [value, set] = useState(current);
  useEffect(() => {
    const listener = () => set(current);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
  return value;
}

// Other open pages of this browser follow a change.
export function followOtherPages() {
  addEventListener('storage', (event) => {
    if (event.key !== storageKey) return;
    current = withDefaults(stored());
    applyPreferences();
    listeners.forEach((listener) => listener());
  });
}

// Whether the page is dark now, for canvases.
export const isDark = () =>
  current.theme === 'dark' || (current.theme === 'auto' && matchMedia('(prefers-color-scheme: dark)').matches);
