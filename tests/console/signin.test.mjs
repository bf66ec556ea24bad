// Signing in, staying signed in, and what a page of another origin cannot do.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Browser, Server, close, until } from './console.mjs';

const server = new Server();
const browser = new Browser();
before(() => Promise.all([server.start(), browser.start()]));
after(() => Promise.all([server.end(), browser.end()]));

test('a wrong token is refused, the right one leads to the page that asked', async () => {
  const page = await browser.page({ allow: /401/ });
  await page.goto(`${server.url}/jobs?state=failed`);
  await page.waitForURL('**/signin?next=**');
  await page.fill('input[type=password]', 'nonsense');
  await page.click('button[type=submit]');
  await page.waitForSelector('[role=alert]');
  assert.match(await page.textContent('[role=alert]'), /not the token/);
  await page.fill('input[type=password]', `  ${server.token}\n`);
  await page.click('button[type=submit]');
  await page.waitForURL('**/jobs?state=failed');
  await page.waitForSelector('.empty');
  const [cookie] = await page.context().cookies();
  assert.equal(cookie.httpOnly, true);
  assert.equal(cookie.sameSite, 'Strict');
  assert.equal(await page.evaluate(() => document.cookie), '');
  assert.equal(await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage })).then((text) => text.includes(server.token)), false);
  await close(page);
});

test('a link of `muster open` signs in once', async () => {
  const id = server.submit('--', 'true');
  await server.waitFor(id, 'succeeded');
  const link = server.link(String(id));
  const page = await browser.page();
  await page.goto(link);
  await page.waitForURL(`**/jobs/${id}`);
  await page.waitForSelector('.pill.succeeded');
  await close(page);
  const late = await browser.page();
  await late.goto(link);
  await late.waitForURL('**/signin?link=expired');
  assert.match(await late.textContent('form'), /expired/);
  await close(late);
});

test('sign-out ends the session', async () => {
  const page = await browser.page({ allow: /401/ });
  await page.goto(server.link());
  await page.goto(`${server.url}/settings`);
  await page.click('text=Sign out');
  await page.waitForURL('**/signin');
  await page.goto(`${server.url}/jobs`);
  await page.waitForURL('**/signin?next=%2Fjobs');
  await close(page);
});

test('a request without the header of the console changes nothing', async () => {
  // The browser reports the request to the other port at any later moment, because the policy of the page forbids it.
  const page = await browser.page({ allow: /403|connect-src|Content Security Policy/ });
  await page.goto(server.link());
  const status = await page.evaluate(() => fetch('/api/v1/jobs', { method: 'POST', body: '{"spec": {"run": "true"}}' }).then((answer) => answer.status));
  assert.equal(status, 403);
  // A page of another port is the same site: the cookie is sent, and the request is refused all the same.
  const other = await new Server().start();
  await page.goto(`${other.url}/signin`);
  const before = (await server.api('/jobs')).jobs.length;
  const failed = await page.evaluate((url) => fetch(`${url}/api/v1/jobs`, { method: 'POST', mode: 'no-cors', credentials: 'include', body: '{"spec": {"run": "true"}}' }).then(() => 'sent', () => 'failed'), server.url);
  assert.equal((await server.api('/jobs')).jobs.length, before, failed);
  await close(page);
  await other.end();
});

test('many pages of one browser share one event connection and all follow changes', async () => {
  const first = await browser.page();
  await first.goto(server.link());
  const pages = [first];
  for (let i = 0; i < 8; i++) pages.push(await browser.watched(await first.context().newPage()));
  await Promise.all(pages.slice(1).map((page) => page.goto(`${server.url}/jobs`)));
  await first.goto(`${server.url}/jobs`);
  const id = server.submit('-J', 'seen-by-all', '--', 'true');
  for (const page of pages) {
    await page.bringToFront();
    await page.waitForSelector(`a[href="/jobs/${id}"]`);
  }
  for (const page of pages) assert.deepEqual(page.faults, []);
  await first.context().close();
});

test('a lost connection is shown and recovers after a restart of the server', async () => {
  const page = await browser.page({ allow: /ERR_|Failed to load|fetch/ });
  await page.goto(server.link());
  await page.goto(`${server.url}/jobs`);
  await page.waitForSelector('.job-row');
  await until(() => page.evaluate(() => !document.querySelector('.lost')), 'the connection');
  await server.halt('SIGKILL');
  await page.waitForSelector('.lost');
  await server.start();
  await page.waitForSelector('.lost', { state: 'detached' });
  const id = server.submit('-J', 'after-restart', '--', 'true');
  await page.waitForSelector(`a[href="/jobs/${id}"]`);
  await close(page);
});
