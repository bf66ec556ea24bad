// The answers of the HTTP API that the console reads; docs/formats/http_api.md describes them.
export type State = 'queued' | 'starting' | 'running' | 'stopping' | 'succeeded' | 'failed' | 'stopped';
export const states: State[] = ['queued', 'starting', 'running', 'stopping', 'succeeded', 'failed', 'stopped'];
export const activeStates: State[] = ['queued', 'starting', 'running', 'stopping'];
export const isOver = (state: State) => state === 'succeeded' || state === 'failed' || state === 'stopped';

export interface JobRow {
  id: number;
  name: string;
  state: State;
  framework: string;
  group: string;
  user: string;
  reason: string;
  nodes: number;
  ranks: number;
  devices: string;
  priority: number;
  created_ms: number;
  started_ms: number;
  ended_ms: number;
  attempts: number;
}

export interface JobPage {
  jobs: JobRow[];
  next: number | null;
  total?: number;
}

export interface ExitReport {
  class: string;
  code?: number;
  signal?: number;
  signal_name?: string;
  stopped_by?: string;
  detail?: string;
  cpu_ms?: number;
  peak_rss?: number;
}

export interface Rank {
  rank: number;
  node: number;
  role: string;
  pid: number;
  started_ms: number;
  ended_ms?: number; // absent while it runs
  exit?: ExitReport;
}

export interface AllocatedNode {
  index: number;
  role: string;
  node: string;
  address: string;
  virtual: boolean;
  kind: string;
  devices: number[];
}

export interface Attempt {
  number: number;
  ranks: Rank[];
  allocation: { nodes: AllocatedNode[] };
  created_ms: number;
  started_ms: number;
  ended_ms: number;
  stopped_by: string;
  exit?: ExitReport;
  nodes: { name: string; notes: string[] }[];
  publish?: { over: boolean; error: string; notes: string[] };
}

export interface Verdict {
  headline: string;
  cause: string;
  rank: number | null;
  evidence: string[];
  retry_makes_sense: boolean;
  advice: string;
}

export type Spec = Record<string, unknown>;

export interface Job {
  id: number;
  name: string;
  state: State;
  framework: string;
  group: string;
  user: string;
  reason: string;
  priority: number;
  created_ms: number;
  ended_ms: number;
  attempts: Attempt[];
  ranks: Rank[];
  spec: Spec;
  verdict: Verdict | null;
  progress?: { attempt: number; rank: number; values: Record<string, number>; text: string };
  folders: { job: string; logs: string; outputs: Record<string, string> };
}

export interface JobEvent {
  seq: number;
  job: number;
  wall_ms: number;
  kind: string;
  data: Record<string, unknown>;
}

export interface Why {
  id: number;
  state: State;
  position: number;
  text: string;
  way_out: string;
  expected_ms: number | null;
  can_ever_fit: boolean;
}

export interface DeviceUse {
  total: number;
  used: number;
  free: number;
  model: string;
}

export interface NodeInfo {
  name: string;
  address: string;
  virtual: boolean;
  devices: Record<string, DeviceUse>;
  jobs: number[];
}

// What POST /plan answers: the parts of the orders that are the same on all nodes, and one order per node.
export interface Plan {
  common: { env: Record<string, string> };
  nodes: NodeOrder[];
}

export interface NodeOrder {
  node_name: string;
  address: string;
  env?: Record<string, string>;
  files?: { path: string; content?: string; text?: string }[];
  ranks: RankOrder[];
  notes?: string[];
  hooks?: { setup?: string };
}

export interface RankOrder {
  rank: number;
  local_rank: number;
  role: string;
  argv: string[];
  cwd: string;
  env?: Record<string, string>;
}

export interface Fault {
  path: string;
  line: number;
  column: number;
  found: string;
  expected: string;
  hint: string;
}

export interface Submitted {
  jobs: { id: number; name: string; state: State }[];
  group: string;
  repeated: boolean;
}

export interface Version {
  name: string;
  version: string;
  commit: string;
  build_date: string;
}
