// Runs programs in Chromium for `fuzz compare --browser`: `node programs.mjs SITE` says `ready`, reads cases as lines of JSON, and
// writes a line with the buffers, the refusal or the fault of each.

import { createInterface } from 'node:readline';
import { browser, serve, within } from './browser.mjs';

/** How long a program may take, in seconds. */
const SECONDS = Number(process.env.PUMICE_WEB_SECONDS ?? 120);

const server = await serve(process.argv[2]);
let chromium = await browser();

async function newPage() {
  if (!chromium.isConnected()) chromium = await browser();
  const made = await chromium.newPage();
  await made.goto(`${server.url}/run.html`);
  await made.waitForFunction(() => window.ready);
  return made;
}

let page = await newPage();
console.log('ready');
for await (const line of createInterface({ input: process.stdin })) {
  let answer;
  try {
    answer = await within(page.evaluate((c) => window.runCase(c), JSON.parse(line)), SECONDS, `no result after ${SECONDS} s`);
  } catch (error) {
    answer = { fault: `the page failed: ${error.message}` };
    await within(chromium.close(), 10, 'the browser does not close').catch(() => {});
    page = await newPage();
  }
  console.log(JSON.stringify(answer));
}
await chromium.close();
process.exit(0);
