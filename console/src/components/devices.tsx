// Devices of nodes as squares: used or free.
import type { NodeInfo } from '../api/types';
import { t } from '../i18n';

export function deviceTotals(nodes: NodeInfo[]): [string, { used: number; total: number }][] {
  const totals = new Map<string, { used: number; total: number }>();
  for (const node of nodes)
    for (const [kind, use] of Object.entries(node.devices)) {
      const sum = totals.get(kind) ?? { used: 0, total: 0 };
      totals.set(kind, { used: sum.used + use.used, total: sum.total + use.total });
    }
  // Accelerators first.
  return [...totals].sort(([a], [b]) => Number(a === 'cpu') - Number(b === 'cpu') || a.localeCompare(b));
}

const mostSquares = 64;

export function DeviceGrid({ node }: { node: NodeInfo }) {
  const kinds = Object.entries(node.devices).sort(([a], [b]) => Number(a === 'cpu') - Number(b === 'cpu'));
  return (
    <div class="node">
      <div class="node-name"><b>{node.name}</b>{node.virtual && <span class="tag">{t('nodes.virtual')}</span>}</div>
      {kinds.map(([kind, use]) => (
        <div key={kind} class="node-kind" role="img" aria-label={t('overview.usedOf', { used: use.used, total: use.total, kind })}>
          <span class="kind">{kind}</span>
          <span class="squares">{Array.from({ length: Math.min(use.total, mostSquares) }, (_, i) => <i key={i} class={i < use.used ? 'used' : ''} />)}</span>
          <span class="share">{use.used}/{use.total}</span>
        </div>
      ))}
    </div>
  );
}
