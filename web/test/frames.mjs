// The path tracer's frames a second in the playground: `node frames.mjs SITE SECONDS`. `pictures.py --time SECONDS` measures the native driver's.

import { browser, serve } from './browser.mjs';

const server = await serve(process.argv[2]);
const seconds = Number(process.argv[3] ?? 15);
const chromium = await browser();
const page = await chromium.newPage();
await page.goto(`${server.url}/#program=pathtracer`);
await page.waitForFunction(() => window.playground?.frames >= 3, null, { timeout: 60000 });
const [frames, took] = await page.evaluate(async (wanted) => {
  const [first, start] = [window.playground.frames, performance.now()];
  await new Promise((done) => setTimeout(done, wanted * 1000));
  return [window.playground.frames - first, (performance.now() - start) / 1000];
}, seconds);
await chromium.close();
server.close();
console.log(`${(frames / took).toFixed(2)} frames a second in Chromium`);
