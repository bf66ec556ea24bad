// Addresses of the console and moving between them without loading a page.
import { useEffect, useState } from 'preact/hooks';

const listeners = new Set<() => void>();
const changed = () => listeners.forEach((listener) => listener());
addEventListener('popstate', changed);

export function navigate(to: string, replace = false) {
  if (to === location.pathname + location.search) return;
  history[replace ? 'replaceState' : 'pushState'](null, '', to);
  changed();
}

export interface Here {
  path: string;
  query: URLSearchParams;
}

const here = (): Here => ({ path: location.pathname, query: new URLSearchParams(location.search) });

export function useLocation(): Here {
  const [value, set] = useState(here);
  useEffect(() => {
    const listener = () => set(here());
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
  return value;
}

// The address with some values of its query changed; an empty value leaves its name out.
export function withQuery(changes: Record<string, string | number | undefined>): string {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') query.delete(name);
    else query.set(name, String(value));
  }
  const text = query.toString();
  return location.pathname + (text ? `?${text}` : '');
}

// Follows links of the console inside the page; leaves new tabs, downloads and other sites to the browser.
export function followLinks() {
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = (event.target as Element).closest('a');
    if (!link || link.origin !== location.origin || link.target || link.hasAttribute('download')) return;
    if (link.pathname.startsWith('/api/')) return;
    event.preventDefault();
    navigate(link.pathname + link.search);
    if (!link.dataset.keepScroll) scrollTo(0, 0);
  });
}
