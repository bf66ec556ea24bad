// Buckets in the browser: make one, upload with awkward names, browse, preview, share, delete.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Browser, Server, close, until } from './console.mjs';

const server = new Server();
const browser = new Browser();
before(() => Promise.all([server.start(), browser.start()]));
after(() => Promise.all([server.end(), browser.end()]));

test('a bucket is made, filled, read, shared and emptied', async () => {
  const page = await browser.page({ allow: /409/ });
  await page.goto(server.link());
  await page.goto(`${server.url}/buckets`);
  await page.click('button:has-text("New bucket")');
  await page.fill('dialog input', 'training-data');
  await page.click('dialog button:has-text("Create")');
  await page.waitForURL('**/buckets?bucket=training-data');
  await page.waitForSelector('text=Nothing here yet');
  const files = { 'table.csv': 'epoch,loss\n1,"0,5"\n', 'a b ü#?&%.json': '{"loss": [1, 2]}', 'page.html': '<script>window.hacked = 1</script>' };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(server.folder, name), text);
  await page.setInputFiles('input[type=file]', Object.keys(files).map((name) => join(server.folder, name)));
  await page.waitForSelector('.toast:has-text("3 files uploaded")');
  await until(async () => (await page.locator('.objects tbody tr').count()) === 3, 'three objects');
  assert.equal(server.run('objects', 'cat', 's3://training-data/a b ü#?&%.json'), files['a b ü#?&%.json']);
  await page.click('button:has-text("table.csv")');
  await page.waitForSelector('dialog td:has-text("0,5")');
  // A link works without a sign-in.
  await page.click('dialog button:has-text("Make a link")');
  const link = await page.textContent('dialog .share code');
  assert.equal(await (await fetch(link)).text(), files['table.csv']);
  assert.notEqual((await fetch(link.replace('table.csv', 'page.html'))).status, 200);
  await page.keyboard.press('Escape');
  await page.click('button:has-text("a b ü#?&%.json")');
  await page.waitForSelector('dialog pre:has-text("\\"loss\\": [")');
  await page.keyboard.press('Escape');
  // A page in a bucket is shown as text, and a download of it is no page of this origin.
  await page.click('button:has-text("page.html")');
  await page.waitForSelector('dialog pre:has-text("<script>window.hacked = 1</script>")');
  assert.equal(await page.evaluate(() => globalThis.hacked), undefined);
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('dialog a:has-text("Download")')]);
  assert.equal(download.suggestedFilename(), 'page.html');
  await page.keyboard.press('Escape');
  // A bucket that is not empty stays.
  await page.goto(`${server.url}/buckets`);
  await page.click('[aria-label="Remove bucket training-data"]');
  await page.click('dialog button:has-text("Remove")');
  await page.waitForSelector('dialog [role=alert]');
  await page.keyboard.press('Escape');
  await page.click('a:has-text("training-data")');
  for (let left = 3; left > 0; left--) {
    await page.locator('[aria-label^="Remove "]').first().click();
    await page.click('dialog button:has-text("Remove")');
    await until(async () => (await page.locator('.objects tbody tr').count()) === left - 1, `${left - 1} objects`);
  }
  await close(page);
});

test('awkward keys are text and folders of many keys are paged', async () => {
  server.run('objects', 'mb', 's3://hostile');
  const evil = '<img src=x onerror=window.hacked=2>';
  writeFileSync(join(server.folder, 'small'), 'x');
  server.run('cp', 'small', `s3://hostile/${evil}\u202e/deep "quoted"`);
  const page = await browser.page();
  await page.goto(server.link());
  await page.goto(`${server.url}/buckets?bucket=hostile`);
  await page.click(`.key:has-text("onerror")`);
  await page.click('button:has-text("deep \\"quoted\\"")');
  await page.waitForSelector('dialog pre:has-text("x")');
  assert.equal(await page.evaluate(() => globalThis.hacked), undefined);
  assert.match(await page.textContent('main'), /<img src=x onerror=window.hacked=2>⟨U\+202E⟩/);
  await close(page);
});
