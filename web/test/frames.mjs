// The path tracer's frames a second in the playground: `node frames.mjs SITE SECONDS`, and the processor's time for each in milliseconds, that of all
// of the browser's processes. `pictures.py --time SECONDS` measures the native driver's.

import { readFile, readdir } from 'node:fs/promises';
import { browser, serve } from './browser.mjs';

/** Clock ticks of Linux in a second. */
const TICKS = 100;

/** The processor's time of the processes that this one started, in milliseconds. */
async function processorTime() {
  const all = [];
  for (const id of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    // The name of the program in parentheses may have anything in it.
    const fields = (await readFile(`/proc/${id}/stat`, 'utf8').catch(() => '')).split(') ').pop().split(' ');
    if (fields.length > 12) all.push({ id: Number(id), parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) });
  }
  const sum = (parent) => all.filter((p) => p.parent === parent).reduce((total, p) => total + p.ticks + sum(p.id), 0);
  return (sum(process.pid) * 1000) / TICKS;
}

const server = await serve(process.argv[2]);
const seconds = Number(process.argv[3] ?? 15);
const chromium = await browser();
const page = await chromium.newPage();
await page.goto(`${server.url}/#program=pathtracer`);
await page.waitForFunction(() => window.playground?.frames >= 3, null, { timeout: 60000 });
const before = await processorTime();
const [frames, took] = await page.evaluate(async (wanted) => {
  const [first, start] = [window.playground.frames, performance.now()];
  await new Promise((done) => setTimeout(done, wanted * 1000));
  return [window.playground.frames - first, (performance.now() - start) / 1000];
}, seconds);
const used = (await processorTime()) - before;
await chromium.close();
server.close();
console.log(`${(frames / took).toFixed(2)} frames a second, ${(used / frames).toFixed(1)} ms of the processor each, in Chromium`);
