// The way of a user: form, job page with live log and curve, stop, rerun, compare; bulk actions; hostile texts.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Browser, Server, close, until } from './console.mjs';

const server = new Server();
const browser = new Browser();
before(() => Promise.all([server.start(), browser.start()]));
after(() => Promise.all([server.end(), browser.end()]));

const training = `
import sys, time
for step in range(10000):
    print(f"epoch 1/1 step {step} loss {2 / (step + 1):.4f}", flush=True)
    time.sleep(0.05)
`;

test('from a code folder and a form to a curve, a stop, a rerun and a comparison', async () => {
  const code = join(server.folder, 'code');
  mkdirSync(join(code, 'lib'), { recursive: true });
  writeFileSync(join(code, 'train.py'), training);
  writeFileSync(join(code, 'lib/data.txt'), 'data');
  // A job file with a fault is refused by the server, which browsers log.
  const page = await browser.page({ allow: /400.*\/api\/v1\/plan/ });
  await page.goto(server.link());
  await page.goto(`${server.url}/new`);
  await page.setInputFiles('input[type=file]', code);
  await page.waitForSelector('.drop:has-text("2 files")');
  // The form edits the file.
  await page.fill('.side-form input[placeholder="from the code folder"]', 'story');
  await page.fill('.side-form input[placeholder="train.py"]', 'train.py');
  const editor = page.locator('.editor textarea');
  await until(async () => /^name: story\nrun: train.py\n/.test(await editor.inputValue()), 'the form to edit the file');
  // The file edits the form; a fault is shown at its line, and at its field.
  await editor.fill(`# my first job\n${await editor.inputValue()}retries: many\n`);
  await page.waitForSelector('.gutter .bad');
  assert.match(await page.textContent('.field.bad'), /Retries.*many.*whole number/);
  assert.equal(await page.isDisabled('button:has-text("Submit")'), true);
  await page.fill('.field:has-text("Retries") input', '0');
  await page.selectOption('[aria-label="Kind of device"]', 'npu');
  await page.fill('.joined input', '2');
  await until(async () => (await editor.inputValue()).includes('devices: npu:2'), 'the devices in the file');
  assert.match(await editor.inputValue(), /^# my first job\n/);
  await page.waitForSelector('text=No faults');
  // The plan shows every rank before anything is submitted.
  await page.click('button:has-text("Plan")');
  await page.waitForSelector('dialog .command:has-text("train.py")');
  assert.match(await page.textContent('dialog .env'), /MUSTER_WORLD_SIZE\s*2/);
  await page.keyboard.press('Escape');
  await page.click('button:has-text("Submit")');
  await page.waitForURL(/\/jobs\/\d+$/);
  const first = Number(page.url().split('/').pop());
  await page.waitForSelector('.pill.running');
  // The log is live.
  await page.waitForSelector('.log-line:has-text("step 3 ")');
  await page.waitForSelector('.log-line:has-text("step 40 ")', { timeout: 20_000 });
  // So is the curve.
  await page.click('.tabs a:has-text("Curves")');
  await page.waitForSelector('.chart:has-text("loss") canvas', { timeout: 20_000 });
  const value = () => page.textContent('.chart:has-text("loss") .legend b');
  const before = await value();
  await until(async () => (await value()) !== before, 'the curve to grow');
  // Stop asks first, and its progress is shown.
  await page.click('button:has-text("Stop")');
  await page.click('dialog button:has-text("Cancel")');
  assert.equal((await server.api(`/jobs/${first}`)).state, 'running');
  await page.click('button:has-text("Stop")');
  await page.click('dialog button:has-text("Stop")');
  await page.waitForSelector('.pill.stopped', { timeout: 20_000 });
  // Run again, with what differs from the original.
  await page.click('.page-head a:has-text("Edit and submit")');
  await page.waitForSelector('.drop:has-text("snapshot of job")');
  await page.fill('.field:has-text("Priority") input', '7');
  await until(async () => (await editor.inputValue()).includes('priority: 7'), 'the priority in the file');
  await page.click('button:has-text("Submit")');
  assert.match(await page.textContent('dialog .difference'), /- priority: 0\s*\+ priority: 7/);
  await page.click('dialog button:has-text("Submit")');
  await page.waitForURL((url) => /\/jobs\/\d+$/.test(url.pathname) && !url.pathname.endsWith(`/${first}`));
  const second = Number(page.url().split('/').pop());
  await server.waitFor(second, 'running');
  await page.waitForSelector('.log-line:has-text("step 30 ")', { timeout: 20_000 });
  await page.goto(`${server.url}/compare?ids=${first},${second}`);
  await page.waitForSelector('tr.differs:has-text("priority"):has-text("7")');
  await page.waitForSelector('.chart .legend li:has-text("#' + second + '")');
  await close(page);
});

test('the files of the outputs are listed, shown and downloaded, and links lead nowhere', async () => {
  const id = server.submit('-J', 'writes', '--', 'sh', '-c', 'cd $MUSTER_OUTPUT_DIR && mkdir ckpt && echo "epoch,loss\n1,0.5" > ckpt/table.csv && echo text > notes.txt && ln -s /etc/passwd link && ln -s /etc folder');
  await server.waitFor(id, 'succeeded');
  const page = await browser.page();
  await page.goto(server.link());
  await page.goto(`${server.url}/jobs/${id}?tab=files`);
  await page.waitForSelector('.key:has-text("notes.txt")');
  assert.deepEqual(await page.locator('.objects .key').allTextContents(), ['ckpt', 'notes.txt']);
  await page.click('.key:has-text("ckpt")');
  await page.click('.key:has-text("table.csv")');
  await page.waitForSelector('dialog td:has-text("0.5")');
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('dialog a:has-text("Download")')]);
  assert.equal(download.suggestedFilename(), 'table.csv');
  await page.goBack();
  await page.waitForSelector('dialog', { state: 'detached' });
  for (const path of ['link', 'folder/passwd', '../../../etc/passwd', 'ckpt/../../spec.json']) {
    const answer = await fetch(`${server.url}/api/v1/console/jobs/${id}/file?path=${encodeURIComponent(path)}`, { headers: { Authorization: `Bearer ${server.token}` } });
    assert.ok(answer.status >= 400, `${path}: ${answer.status}`);
  }
  await close(page);
});

test('the logs of all ranks are one log, with times where wanted', async () => {
  const id = server.submit('-J', 'ranks', '-g', 'npu:3', '--', 'sh', '-c', 'for i in 1 2 3 4 5 6 7 8 9; do echo line $i of rank $MUSTER_RANK; sleep 0.1; done');
  const page = await browser.page();
  await page.goto(server.link());
  await page.goto(`${server.url}/jobs/${id}`);
  await server.waitFor(id, 'succeeded');
  await until(async () => (await page.locator('.log-line').count()) === 27, 'every line of every rank, once');
  for (const rank of [0, 1, 2])
    assert.deepEqual((await page.locator('.log-line').allTextContents()).filter((text) => text.startsWith(String(rank))), Array.from({ length: 9 }, (_, i) => `${rank}line ${i + 1} of rank ${rank}`));
  await page.click('[aria-label="Show times"]');
  assert.match(await page.textContent('.log-line'), /^\d\d:\d\d:\d\d\d?line/);
  await page.selectOption('.logs select', '1');
  await page.waitForSelector('.log-line:has-text("line 9 of rank 1")');
  assert.equal(await page.locator('.log-line').count(), 9);
  await close(page);
});

test('several jobs are stopped at once', async () => {
  for (let i = 0; i < 3; i++) server.submit('-J', `bulk-${i}`, '--', 'sleep', '600');
  const page = await browser.page();
  await page.goto(server.link());
  await page.goto(`${server.url}/jobs?q=bulk`);
  await until(() => page.evaluate(() => document.querySelectorAll('.job-row:not(.head)').length === 3), 'three rows');
  await page.check('.job-row.head input');
  await page.click('.bulk button:has-text("Stop")');
  await page.click('dialog button:has-text("Stop")');
  await until(async () => (await page.locator('.job-row .pill.stopped').count()) === 3, 'three stopped jobs', 30_000);
  await close(page);
});

test('names, users, labels and log lines are text, whatever they hold', async () => {
  const script = join(server.folder, 'hostile.py');
  writeFileSync(script, `
import sys
print("<script>window.hacked=1</script><img src=x onerror=window.hacked=2>")
print("\\x1b]0;title\\x07\\x1b[31mred\\x1b[0m \\x1b[8mhidden")
print("abc\\u202edcba\\u202c and \\u2066x")
print("A" * 1_000_000)
print("progress 1%\\rprogress 50%\\rprogress 100%")
sys.stdout.flush()
sys.stdout.buffer.write(b"\\xff\\xfe\\x00 binary\\n")
print("last line")
raise ValueError("<b onclick=alert(1)>bold</b>")
`);
  const evil = '"><img src=x onerror=window.hacked=3>';
  const answer = await server.api('/jobs', { method: 'POST', body: JSON.stringify({ user: evil, spec: { name: 'hostile', run: ['python3', script], labels: { evil }, env: { EVIL: evil } } }) });
  const [{ id }] = answer.jobs;
  await server.waitFor(id, 'failed');
  const page = await browser.page();
  await page.goto(server.link());
  for (const path of ['/', '/jobs', `/jobs/${id}`, `/jobs/${id}?tab=events`, `/jobs/${id}?tab=plan`, `/jobs/${id}?tab=file`, `/compare?ids=${id}`, `/new?from=${id}`, `/jobs?user=${encodeURIComponent(evil)}&q=%3Cscript%3E`]) {
    await page.goto(server.url + path);
    await until(() => page.evaluate(() => document.querySelector('main h1, main .empty') && !document.querySelector('.loading')), path);
    assert.equal(await page.evaluate(() => globalThis.hacked), undefined, path);
    assert.equal(await page.evaluate(() => document.querySelectorAll('main img, main script, main [onclick]').length), 0, path);
  }
  await page.goto(`${server.url}/jobs/${id}?tab=logs&rank=0`);
  await page.waitForSelector('.log-line:has-text("last line")');
  const lines = await page.locator('.log-line').allTextContents();
  assert.equal(lines[0], '<script>window.hacked=1</script><img src=x onerror=window.hacked=2>');
  assert.equal(lines[1], 'red hidden');
  assert.equal(lines[2], 'abc⟨U+202E⟩dcba⟨U+202C⟩ and ⟨U+2066⟩x');
  assert.deepEqual([lines[3].slice(0, 20_000) === 'A'.repeat(20_000), lines[3].slice(20_000)], [true, 'line of 977 KiB, cut here']);
  assert.equal(lines[4], 'progress 100%');
  assert.equal(lines[5], '\ufffd\ufffd\u2400 binary');
  assert.equal(await page.locator('.log-line .f1').first().textContent(), 'red');
  assert.match(await page.textContent('.verdict'), /<b onclick=alert\(1\)>bold<\/b>/);
  await close(page);
});

test('a large log opens at its end, and any place and hit in it is shown', async () => {
  const id = server.submit('-J', 'large', '--', 'sh', '-c', 'seq -f "line %.0f of a large log that goes on and on" 1 400000; echo needle in a haystack; seq -f "more %.0f" 1 200000');
  await server.waitFor(id, 'succeeded');
  const page = await browser.page();
  await page.goto(server.link());
  await page.goto(`${server.url}/jobs/${id}`);
  await page.waitForSelector('.log-line:has-text("more 200000")');
  await page.locator('.log-status input').evaluate((range) => { range.value = '0'; range.dispatchEvent(new Event('change', { bubbles: true })); });
  await page.waitForSelector('.log-line:has-text("line 1 of")');
  await page.fill('.logs input[type=search]', 'NEEDLE in');
  await page.press('.logs input[type=search]', 'Enter');
  await page.waitForSelector('.hits:has-text("0 hits")');
  await page.fill('.logs input[type=search]', 'needle in');
  await page.press('.logs input[type=search]', 'Enter');
  await page.click('.hits li button');
  await page.waitForSelector('.log-line.current:has-text("needle in a haystack") mark');
  // Upwards from there, far beyond what is loaded at once.
  const log = page.locator('.log');
  await until(async () => {
    await log.evaluate((element) => { element.scrollTop = 0; });
    return (await page.locator('.log-line').allTextContents()).some((text) => /^line 39\d{4} /.test(text) && !/^line 399/.test(text));
  }, 'earlier lines', 30_000);
  await page.click('text=Follow');
  await page.waitForSelector('.log-line:has-text("more 200000")');
  await close(page);
});
