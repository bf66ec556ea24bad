// Icons of 24 × 24 units, drawn with lines in the colour of the text.
const paths = {
  overview: 'M4 13h6V4H4zM14 20h6V4h-6zM4 20h6v-3H4z',
  jobs: 'M4 6h16M4 12h16M4 18h10',
  plus: 'M12 5v14M5 12h14',
  nodes: 'M4 5h16v5H4zM4 14h16v5H4zM8 7.5h.01M8 16.5h.01',
  buckets: 'M5 7h14l-1.5 13h-11zM4 7c0-1.7 3.6-3 8-3s8 1.3 8 3',
  compare: 'M5 20V10M12 20V4M19 20v-7',
  settings: 'M4 7h9M17 7h3M4 17h3M11 17h9M15 5v4M9 15v4',
  sun: 'M12 8a4 4 0 100 8 4 4 0 000-8zM12 2v2M12 20v2M4.9 4.9l1.4 1.4M17.7 17.7l1.4 1.4M2 12h2M20 12h2M4.9 19.1l1.4-1.4M17.7 6.3l1.4-1.4',
  moon: 'M20 14.5A8 8 0 119.5 4a6.5 6.5 0 0010.5 10.5z',
  search: 'M11 5a6 6 0 100 12 6 6 0 000-12zM20 20l-4.5-4.5',
  stop: 'M7 7h10v10H7z',
  rerun: 'M20 12a8 8 0 11-2.3-5.6M20 4v4.5h-4.5',
  download: 'M12 4v11M7 11l5 5 5-5M5 20h14',
  upload: 'M12 16V5M7 9l5-5 5 5M5 20h14',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  cross: 'M6 6l12 12M18 6L6 18',
  down: 'M12 5v14M6 13l6 6 6-6',
  right: 'M9 6l6 6-6 6',
  up: 'M12 19V5M6 11l6-6 6 6',
  file: 'M7 3h7l5 5v13H7zM14 3v5h5',
  folder: 'M3 6h6l2 2h10v11H3z',
  trash: 'M5 7h14M9 7V4h6v3M7 7l1 13h8l1-13',
  link: 'M10 14a4 4 0 005.7 0l3-3a4 4 0 00-5.7-5.7l-1 1M14 10a4 4 0 00-5.7 0l-3 3a4 4 0 005.7 5.7l1-1',
  warn: 'M12 4L2.5 20h19zM12 10v4M12 17h.01',
  exit: 'M14 4h5v16h-5M10 8l-4 4 4 4M6 12h9',
  clock: 'M12 3a9 9 0 100 18 9 9 0 000-18zM12 7v5l3.5 2',
  wrap: 'M4 6h16M4 12h13a3 3 0 010 6h-4M15 15l-3 3 3 3M4 18h4',
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg class="icon" width={size} height={size} viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.8"
      stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}

export function Logo({ size = 26 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="#1d6fe0" />
      <g fill="#fff"><rect x="7" y="17" width="4" height="8" rx="1.5" /><rect x="14" y="12" width="4" height="13" rx="1.5" /><rect x="21" y="7" width="4" height="18" rx="1.5" /></g>
    </svg>
  );
}
