// The snapshots of WGSL (tests/wgsl) as the browser's compiler takes them: `node snapshots.mjs SITE`. naga has written them.
// Ends with a line that counts the files.

import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { browser, root, serve } from './browser.mjs';

const server = await serve(process.argv[2]);
const chromium = await browser();
const page = await chromium.newPage();
await page.goto(`${server.url}/run.html`);

/** The messages of the browser's compiler about modules of WGSL, one string for each that is not taken. */
const refusals = (modules) => page.evaluate(async (codes) => {
  const adapter = await navigator.gpu.requestAdapter();
  const device = await adapter.requestDevice({ requiredFeatures: ['subgroups'].filter((name) => adapter.features.has(name)) });
  const found = [];
  for (const code of codes) {
    device.pushErrorScope('validation');
    const module = device.createShaderModule({ code });
    device.createComputePipeline({ layout: 'auto', compute: { module } });
    const info = await module.getCompilationInfo();
    const errors = info.messages.filter((m) => m.type === 'error').map((m) => `${m.lineNum}:${m.linePos} ${m.message}`);
    const error = await device.popErrorScope();
    if (errors.length || error) found.push(errors[0] ?? error.message);
  }
  return found;
}, modules);

const folder = join(root, 'tests/wgsl');
const counts = { passed: 0, failed: 0 };
for (const file of (await readdir(folder)).sort()) {
  const text = await readFile(join(folder, file), 'utf8');
  // A module for each kernel.
  const modules = text.split(/^\/\/ kernel .*$/m).slice(1);
  const found = modules.length ? await refusals(modules) : ['no kernel'];
  counts[found.length ? 'failed' : 'passed'] += 1;
  console.log(`${found.length ? 'FAILED ' : 'ok     '} ${file}, ${modules.length} kernels${found.length ? `: ${found[0]}` : ''}`);
}
await chromium.close();
server.close();
console.log(`web: ${counts.passed} passed, ${counts.failed} failed`);
process.exit(counts.failed ? 1 : 0);
