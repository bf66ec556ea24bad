// What every rank would get: command, environment and files of the orders that a plan has.
import { useState } from 'preact/hooks';
import type { Plan } from '../api/types';
import { t } from '../i18n';
import { CopyButton } from './ui';

const quoted = (word: string) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

function EnvTable({ env }: { env: Record<string, string> }) {
  return <table class="env"><tbody>{Object.entries(env).sort(([a], [b]) => a.localeCompare(b)).map(([name, value]) => <tr key={name}><th scope="row">{name}</th><td>{value}</td></tr>)}</tbody></table>;
}

export function PlanView({ plan: { common, nodes } }: { plan: Plan }) {
  const ranks = nodes.flatMap((node) => node.ranks.map((rank) => ({ node, rank })));
  const [chosen, choose] = useState(0);
  const current = ranks[Math.min(chosen, ranks.length - 1)];
  if (!current) return null;
  const { node, rank } = current;
  const command = rank.argv.map(quoted).join(' ');
  return (
    <div class="plan">
      <div class="plan-ranks" role="listbox" aria-label={t('job.ranks')}>
        {nodes.map((each) => (
          <div key={each.node_name} class="rank-node">
            <div class="rank-node-name"><b>{each.node_name}</b><small>{each.address}</small></div>
            <div class="rank-cells">
              {each.ranks.map((one) => {
                const at = ranks.findIndex((entry) => entry.rank === one);
                return <button key={one.rank} type="button" role="option" aria-selected={at === chosen} class={`rank-cell ${at === chosen ? 'running' : 'waiting'}`} onClick={() => choose(at)}>{one.rank}</button>;
              })}
            </div>
          </div>
        ))}
      </div>
      {node.notes?.map((note) => <p key={note} class="note">{note}</p>)}
      <h3>{t('plan.command', { rank: rank.rank, node: node.node_name })}</h3>
      <div class="command"><pre>{command}</pre><CopyButton text={command} /></div>
      <p class="dim">{t('plan.folder')} <code>{rank.cwd}</code></p>
      {node.hooks?.setup && <><h3>{t('plan.setup')}</h3><pre>{node.hooks.setup}</pre></>}
      {Boolean(node.files?.length) && <h3>{t('plan.files')}</h3>}
      {node.files?.map((file) => <details key={file.path}><summary><code>{file.path}</code></summary><pre>{file.content ?? file.text ?? ''}</pre></details>)}
      <h3>{t('plan.environment')}</h3>
      <div class="scroll-x"><EnvTable env={{ ...common.env, ...node.env, ...rank.env }} /></div>
    </div>
  );
}
