// Every page in both languages and both themes, on a desk and on a phone: no console error, no violation of the policy, no
// serious fault of accessibility, nothing wider than the window.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Browser, Server, checkAccess, close, until } from './console.mjs';

const server = new Server();
const browser = new Browser();
const looks = [
  { language: 'en-GB', theme: 'light', width: 1280 },
  { language: 'zh-CN', theme: 'dark', width: 1280 },
  { language: 'zh-CN', theme: 'light', width: 390 },
  { language: 'en-GB', theme: 'dark', width: 390 },
];
let paths;

before(async () => {
  await Promise.all([server.start(), browser.start()]);
  writeFileSync(join(server.folder, 'train.py'), `
import time
for step in range(30):
    print(f"epoch 1/1 step {step} loss {2 / (step + 1):.4f} accuracy {step / 30:.3f}", flush=True)
    time.sleep(0.1)
`);
  writeFileSync(join(server.folder, 'bad.py'), 'import sys\nprint("begin")\nraise ValueError("wrong shape")\n');
  const good = server.submit('-J', 'good', '-N', '2', '-g', 'npu:2', '--', 'python3', 'train.py');
  const bad = server.submit('-J', 'bad', '--', 'python3', 'bad.py');
  const runs = server.submit('-J', 'runs', '-g', 'npu:8', '--', 'sh', '-c', 'echo waiting; sleep 600');
  server.submit('-J', 'waits', '-N', '2', '-g', 'npu:8', '--', 'true');
  await Promise.all([server.waitFor(good, 'succeeded'), server.waitFor(bad, 'failed'), server.waitFor(runs, 'running')]);
  paths = [
    '/', '/jobs', '/jobs?state=failed&q=bad&sort=name', '/new', `/new?from=${good}`, '/nodes', '/buckets', '/settings', '/compare', `/compare?ids=${good},${bad}`,
    `/jobs/${bad}`, `/jobs/${runs}`, '/jobs/4', '/jobs/999999',
    ...['logs', 'curves', 'ranks', 'files', 'events', 'plan', 'file'].map((tab) => `/jobs/${good}?tab=${tab}`),
  ];
});
after(() => Promise.all([server.end(), browser.end()]));

for (const look of looks) {
  test(`pages in ${look.language}, ${look.theme}, ${look.width} px`, async () => {
    const page = await browser.page({ ...look, allow: /404.*\/jobs\/999999/ });
    await page.goto(server.link());
    for (const path of paths) {
      await page.goto(server.url + path);
      await page.waitForSelector('main h1, main .empty, main [role=alert]');
      await until(() => page.evaluate(() => !document.querySelector('.loading')), `${path} to load`);
      const state = await page.evaluate(() => ({
        language: document.documentElement.lang,
        text: document.body.innerText,
        wide: document.documentElement.scrollWidth - innerWidth,
        dark: getComputedStyle(document.body).backgroundColor,
      }));
      assert.equal(state.language, look.language === 'zh-CN' ? 'zh-CN' : 'en');
      assert.equal(/[\u4e00-\u9fff]{2}/.test(state.text.replaceAll('简体中文', '')), look.language === 'zh-CN', path);
      assert.ok(state.wide <= 0, `${path} is ${state.wide} px wider than the window`);
      const bright = state.dark.match(/\d+/g).slice(0, 3).reduce((sum, value) => sum + Number(value), 0) > 380;
      assert.equal(bright, look.theme === 'light', `${path}: ${state.dark}`);
      await checkAccess(page, `${path} ${look.theme} ${look.width}`);
    }
    await close(page);
  });
}

test('the choice of language and theme stays', async () => {
  const page = await browser.page();
  await page.goto(server.link());
  await page.click('text=简体中文');
  await page.waitForSelector('text=概览');
  await page.click('[aria-label="切换到深色主题"]');
  await page.reload();
  await page.waitForSelector('h1:has-text("概览")');
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
  await close(page);
});

test('keys lead to pages and to the search field', async () => {
  const page = await browser.page();
  await page.goto(server.link());
  await page.waitForSelector('h1:has-text("Overview")');
  await page.keyboard.press('g');
  await page.keyboard.press('j');
  await page.waitForSelector('h1:has-text("Jobs")');
  await page.keyboard.press('/');
  await page.keyboard.type('bad');
  await page.waitForURL('**/jobs?q=bad');
  await until(() => page.evaluate(() => document.querySelectorAll('.job-row:not(.head)').length === 1), 'one row');
  await close(page);
});
