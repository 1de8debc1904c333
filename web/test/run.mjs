// Runs the jobs of tests/tests/all/web.rs in Chromium: `node run.mjs FOLDER` reads FOLDER/jobs.json and writes FOLDER/results.json.
// The page is FOLDER/site/run.html, beside the package pumice-web.

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { browser, serve, within } from './browser.mjs';

const folder = process.argv[2];
const jobs = JSON.parse(await readFile(join(folder, 'jobs.json'), 'utf8'));
const server = await serve(join(folder, 'site'));
let chromium = await browser();
/** How long a run may take, in seconds. */
const SECONDS = Number(process.env.PUMICE_WEB_SECONDS ?? 30);

async function newPage() {
  if (!chromium.isConnected()) chromium = await browser();
  const page = await chromium.newPage();
  page.on('console', (message) => {
    if (process.env.PUMICE_WEB_LOG) console.log(`page: ${message.text()}`);
  });
  await page.goto(`${server.url}/run.html`);
  await page.waitForFunction(() => window.ready);
  return page;
}

const results = [];
let page = await newPage();
const start = Date.now();
for (const job of jobs) {
  let result;
  try {
    result = await within(page.evaluate((j) => window.runJob(j), job), SECONDS, `no result after ${SECONDS} s`);
  } catch (error) {
    result = { id: job.id, error: `the page failed: ${error.message}` };
    // A launch that does not end takes the browser's graphics process with it.
    await within(chromium.close(), 10, 'the browser does not close').catch(() => {});
    page = await newPage();
  }
  if (result.error && process.env.PUMICE_WEB_LOG) console.log(`${job.id}: ${result.error.slice(0, 300)}`);
  results.push(result);
  if (results.length % 100 === 0) console.log(`${results.length} of ${jobs.length} runs, ${Math.round((Date.now() - start) / 1000)} s`);
}
await chromium.close();
server.close();
await writeFile(join(folder, 'results.json'), JSON.stringify(results));
const failed = results.filter((r) => r.error).length;
console.log(`${results.length} runs in the browser, ${failed} without a result, ${Math.round((Date.now() - start) / 1000)} s`);
