// What the browser tests share: a server with its own data, Chromium, and pages that fail a test on any console error
// or violation of the content security policy.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import assert from 'node:assert/strict';

export const root = new URL('../..', import.meta.url).pathname;
const require = createRequire(join(root, 'console/package.json'));
const { chromium } = require('playwright-core');
const axeSource = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
export const muster = process.env.MUSTER ?? join(root, 'build/release/muster');

const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage'];

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export async function until(condition, what, ms = 20_000) {
  const deadline = Date.now() + ms;
  for (;;) {
    const value = await condition();
    if (value) return value;
    assert.ok(Date.now() < deadline, `waited ${ms} ms for ${what}`);
    await sleep(20);
  }
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

// One muster server on a data folder of its own.
export class Server {
  constructor(nodes = '2x8npu') {
    this.folder = mkdtempSync(join(tmpdir(), 'muster-console-'));
    this.data = join(this.folder, 'data');
    this.nodes = nodes;
    this.env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('MUSTER_')));
    this.env.MUSTER_DATA = this.data;
  }

  async start() {
    this.port ??= await freePort();
    this.process = spawn(muster, ['server', '--data', this.data, '--listen', `127.0.0.1:${this.port}`, '--nodes', this.nodes], { env: this.env, stdio: 'ignore' });
    // A test that fails early leaves its server: that must not keep this process alive.
    this.process.unref();
    const { process: child } = this;
    process.once('exit', () => child.kill('SIGKILL'));
    await until(async () => {
      try {
        return (await fetch(`${this.url}/api/v1/health`)).ok;
      } catch {
        return false;
      }
    }, 'the server to answer');
    return this;
  }

  get url() { return `http://127.0.0.1:${this.port}`; }
  get token() { return readFileSync(join(this.data, 'token'), 'utf8').trim(); }

  run(...args) { return execFileSync(muster, args, { env: this.env, cwd: this.folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }); }
  submit(...args) { return Number(this.run('run', '-d', ...args).split('\n')[0]); }
  link(...words) { return JSON.parse(this.run('open', '--json', ...words)).url; }

  async api(path, options = {}) {
    const response = await fetch(`${this.url}/api/v1${path}`, { ...options, headers: { Authorization: `Bearer ${this.token}`, ...options.headers } });
    assert.ok(response.ok, `${path}: ${response.status}`);
    return response.status === 204 ? undefined : response.json();
  }
  async waitFor(id, ...states) {
    return until(async () => {
      const job = await this.api(`/jobs/${id}`);
      return states.includes(job.state) && job;
    }, `job ${id} to be ${states}`, 40_000);
  }

  async halt(signal = 'SIGTERM') {
    this.process.ref();
    const ended = new Promise((resolve) => this.process.once('exit', resolve));
    this.process.kill(signal);
    await ended;
  }

  async end() {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return rmSync(this.folder, { recursive: true, force: true });
    const { jobs } = await this.api('/jobs?state=queued,starting,running,stopping&limit=1000');
    for (const { id } of jobs) await fetch(`${this.url}/api/v1/jobs/${id}/stop`, { method: 'POST', headers: { Authorization: `Bearer ${this.token}` }, body: '{"grace": "0s"}' });
    await until(async () => (await this.api('/jobs?state=queued,starting,running,stopping')).jobs.length === 0, 'all jobs to end');
    await this.halt();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export class Browser {
  async start() {
    this.browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: flags });
    return this;
  }
  end() { return this.browser.close(); }

  // A page of a new profile. `allow` is a pattern of console errors that the test expects.
  async page({ language = 'en-GB', theme = 'light', width = 1280, allow } = {}) {
    const context = await this.browser.newContext({ viewport: { width, height: 800 }, locale: language, colorScheme: theme });
    return this.watched(await context.newPage(), allow);
  }

  async watched(page, allow) {
    page.faults = [];
    page.on('console', (message) => {
      const text = `${message.text()} ${message.location().url}`;
      if (message.type() === 'error' && !allow?.test(text)) page.faults.push(text);
    });
    page.on('pageerror', (error) => page.faults.push(`${error.message}\n${error.stack}`));
    await page.addInitScript(() => addEventListener('securitypolicyviolation', (event) => console.error(`CSP ${event.violatedDirective} ${event.blockedURI}`)));
    return page;
  }
}

// Closes a page; the test fails when the page had an error.
export async function close(page) {
  const { faults } = page;
  await page.context().close();
  assert.deepEqual(faults, []);
}

// No serious fault of accessibility.
export async function checkAccess(page, where) {
  await page.evaluate(axeSource);
  const found = await page.evaluate(() => globalThis.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] }));
  const serious = found.violations.filter((violation) => ['serious', 'critical'].includes(violation.impact))
    .map((violation) => `${where}: ${violation.id} ${violation.nodes.slice(0, 3).map((node) => `${node.html.slice(0, 200)} ${node.any[0]?.message ?? ''}`).join(' | ')}`);
  assert.deepEqual(serious, []);
}
