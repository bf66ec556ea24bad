// A code folder that was dropped into the page: named by the hashes of its files, so that only files that the
// server does not have are sent.
import { post, request } from '../api/client';

export interface CodeFile {
  path: string; // relative, with / between the parts
  file: File;
}

const ignored = /(^|\/)(\.git|__pycache__|node_modules|\.ipynb_checkpoints)(\/|$)|\.pyc$/;

function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  return new Promise((resolve, reject) => {
    // A reader gives a hundred entries at a time.
    const next = () => reader.readEntries((some) => {
      if (some.length === 0) return resolve(all);
      all.push(...some);
      next();
    }, reject);
    next();
  });
}

async function walk(entry: FileSystemEntry, path: string, files: CodeFile[]): Promise<void> {
  if (ignored.test(path)) return;
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    files.push({ path, file });
    return;
  }
  for (const child of await entriesOf(entry as FileSystemDirectoryEntry)) await walk(child, path ? `${path}/${child.name}` : child.name, files);
}

// The files of a drop: the content of one folder, or several files and folders as they are.
export async function filesOfDrop(data: DataTransfer): Promise<{ name: string; files: CodeFile[] }> {
  const entries = [...data.items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  const files: CodeFile[] = [];
  const only = entries.length === 1 && entries[0]!.isDirectory;
  for (const entry of entries) await walk(entry, only ? '' : entry.name, files);
  return { name: only ? entries[0]!.name : '', files };
}

export function filesOfInput(list: FileList): { name: string; files: CodeFile[] } {
  const files = [...list].map((file) => {
    const path = file.webkitRelativePath || file.name;
    return { path: path.includes('/') ? path.slice(path.indexOf('/') + 1) : path, file };
  }).filter(({ path }) => !ignored.test(path));
  const first = list[0]?.webkitRelativePath ?? '';
  return { name: first.includes('/') ? first.slice(0, first.indexOf('/')) : '', files };
}

async function sha256(bytes: ArrayBuffer): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', bytes);
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

interface CodeState {
  hash: string;
  complete: boolean;
  missing: string[];
}

// The hash of the snapshot. `report` is told how many bytes of how many are done.
export async function uploadCode(files: CodeFile[], report: (done: number, all: number) => void): Promise<string> {
  const sums = new Map<string, File>();
  const manifest = { files: [] as { path: string; sha256: string; size: number; executable?: boolean }[] };
  for (const { path, file } of files) {
    const sum = await sha256(await file.arrayBuffer());
    sums.set(sum, file);
    manifest.files.push({ path, sha256: sum, size: file.size, ...(/\.sh$/.test(path) ? { executable: true } : {}) });
  }
  const state = await post<CodeState>('/code', manifest);
  const all = state.missing.reduce((sum, name) => sum + (sums.get(name)?.size ?? 0), 0);
  let done = 0;
  for (const name of state.missing) {
    const file = sums.get(name)!;
    await request(`/code/blobs/${name}`, { method: 'PUT', body: file });
    done += file.size;
    report(done, all);
  }
  return state.complete ? state.hash : (await post<CodeState>('/code', manifest)).hash;
}
