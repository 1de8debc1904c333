// Runs the example that Vite built: `node example.mjs DIST`.

import { browser, serve } from './browser.mjs';

const server = await serve(process.argv[2]);
const chromium = await browser();
const page = await chromium.newPage();
const errors = [];
page.on('pageerror', (error) => errors.push(error.message));
await page.goto(`${server.url}/`);
await page.waitForFunction(() => document.getElementById('result').textContent !== 'loading', null, { timeout: 60000 }).catch((e) => errors.push(e.message));
const text = await page.textContent('#result');
await chromium.close();
server.close();
const good = text === 'sum: 8386560' && errors.length === 0;
console.log(`${good ? 'ok     ' : 'FAILED '} the example with Vite: ${text} ${errors.join(' ')}`);
process.exit(good ? 0 : 1);
