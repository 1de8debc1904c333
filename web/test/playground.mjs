// Tests of the playground in Chromium: `node playground.mjs SITE`. Ends with a line that counts them.
//
// The pictures are compared with those of the native driver (pictures.py writes pictures.json). `PUMICE_TEST_BLESS=1` writes screenshots into
// docs/images.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { browser, root, serve } from './browser.mjs';

const BLESS = Boolean(process.env.PUMICE_TEST_BLESS);
const PICTURES = join(root, 'web/test/pictures.json');
/** The frames after which each program's picture is compared. */
const FRAMES = { mandelbrot: 1, pathtracer: 8, nbody: 12, life: 40, filter: 1, reduction: 1, sort: 106 };
/** The columns and rows of a picture's averages, and how far one may be off (of 255). */
const [COLUMNS, ROWS, TOLERANCE] = [12, 8, 3];

const server = await serve(process.argv[2]);
let chromium = await browser();
const counts = { passed: 0, failed: 0 };

async function test(name, body) {
  try {
    await body();
    counts.passed += 1;
    console.log(`ok      ${name}`);
  } catch (error) {
    counts.failed += 1;
    console.log(`FAILED  ${name}: ${error.message}`);
  }
}

function check(condition, what) {
  if (!condition) throw new Error(what);
}

async function open(hash, options = {}) {
  const page = await chromium.newPage(options);
  page.errors = [];
  page.on('pageerror', (error) => page.errors.push(error.message));
  await page.goto(`${server.url}/${hash}`);
  await page.waitForFunction(() => window.playground?.loaded, null, { timeout: 60000 });
  return page;
}

const drawn = (page) => page.waitForFunction(() => window.playground.ready || window.playground.error, null, { timeout: 60000 });

/** The averages of the parts of the picture. */
const averages = (page) => page.evaluate(([columns, rows]) => {
  const canvas = document.getElementById('picture');
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  const sums = Array.from({ length: columns * rows }, () => [0, 0, 0, 0]);
  for (let y = 0; y < canvas.height; y += 1) {
    for (let x = 0; x < canvas.width; x += 1) {
      const sum = sums[Math.floor((y * rows) / canvas.height) * columns + Math.floor((x * columns) / canvas.width)];
      for (let c = 0; c < 3; c += 1) sum[c] += data[(y * canvas.width + x) * 4 + c];
      sum[3] += 1;
    }
  }
  return sums.map(([r, g, b, n]) => [r, g, b].map((v) => Math.round(v / n)));
}, [COLUMNS, ROWS]);

const known = JSON.parse(await readFile(PICTURES, 'utf8').catch(() => '{}'));
const times = [];
for (const [id, frames] of Object.entries(FRAMES)) {
  await test(`the picture of ${id}`, async () => {
    const page = await open(`#program=${id}&frames=${frames}`);
    await drawn(page);
    const state = await page.evaluate(() => ({ ...window.playground, device: null }));
    check(!state.error, state.error);
    check(page.errors.length === 0, page.errors[0]);
    const found = await averages(page);
    check(found.flat().some((v) => v > 60), 'the picture is dark');
    if (id === 'reduction') {
      const text = await page.textContent('#printed');
      check(text.includes('as JavaScript computes it'), text);
      check(/group {3}0: +\d+\n/.test(text), `no text of printf: ${text}`);
    }
    check(known[id], 'there is no picture to compare with');
    const off = Math.max(...found.flat().map((v, n) => Math.abs(v - known[id].flat()[n])));
    check(off <= TOLERANCE, `an average is off by ${off}`);
    if (BLESS) await page.screenshot({ path: join(root, `docs/images/web-${id}.png`) });
    // The same text again, as one types: the first compilation warms the compiler up.
    const compiles = await page.evaluate(async () => {
      const times = [];
      for (let n = 0; n < 9; n += 1) {
        const before = window.playground.compiles.length;
        document.getElementById('source').dispatchEvent(new Event('input'));
        while (window.playground.compiles.length === before) await new Promise((next) => setTimeout(next, 20));
        times.push(window.playground.compiles.at(-1));
      }
      return times.sort((a, b) => a - b);
    });
    times.push({ id, first: state.compiles[0], median: compiles[4], load: state.loadTime, frame: state.frameTimes.at(-1) });
    await page.close();
  });
}
await test('a typing error is shown in its place, and mended', async () => {
  const page = await open('#program=life&frames=2');
  await drawn(page);
  await page.evaluate(() => {
    const source = document.getElementById('source');
    source.focus();
    const at = source.value.indexOf('alive = 0') + 'alive = '.length;
    source.setSelectionRange(at, at + 1);
  });
  await page.keyboard.type('alve');
  await page.waitForFunction(() => document.querySelector('#diagnostics .error'));
  const found = await page.evaluate(() => {
    const mark = document.querySelector('#marks .error');
    const source = document.getElementById('source').value;
    const before = document.createRange();
    before.setStart(document.getElementById('marks'), 0);
    before.setEndBefore(mark);
    return { mark: mark.textContent, at: before.toString().length, should: source.indexOf('= alve') + 2, text: document.querySelector('#diagnostics .error').textContent };
  });
  check(found.mark === 'alve' && found.at === found.should, `marked '${found.mark}' at ${found.at} instead of ${found.should}`);
  check(found.text.includes("'alve'"), found.text);
  const fix = await page.$('#diagnostics .fix');
  check(fix, 'no change is proposed');
  if (BLESS) await page.screenshot({ path: join(root, 'docs/images/web-error.png') });
  await fix.click();
  await page.waitForFunction(() => !document.querySelector('#diagnostics .error'));
  check((await page.inputValue('#source')).includes('int alive = alive;'), 'the change was not made');
  await page.close();
});

await test('F8 goes to the error, Control+Enter runs, tabs go by arrows', async () => {
  const page = await open('#program=life&frames=2');
  await drawn(page);
  await page.focus('#source');
  await page.evaluate(() => document.getElementById('source').setSelectionRange(0, 0));
  await page.keyboard.type('constant int x = y;\n');
  await page.waitForFunction(() => document.querySelector('#diagnostics .error'));
  await page.keyboard.press('F8');
  const chosen = await page.evaluate(() => {
    const s = document.getElementById('source');
    return s.value.slice(s.selectionStart, s.selectionEnd);
  });
  check(chosen === 'y', `F8 chose '${chosen}'`);
  await page.keyboard.type('1');
  const before = await page.evaluate(() => window.playground.compiles.length);
  await page.keyboard.press('Control+Enter');
  await page.waitForFunction((n) => window.playground.compiles.length > n, before);
  await page.focus('#tab-result');
  await page.keyboard.press('ArrowRight');
  check(await page.isVisible('#wgsl') && (await page.textContent('#wgsl')).includes('@compute'), 'no WGSL');
  await page.keyboard.press('ArrowRight');
  check((await page.textContent('#spirv')).includes('OpEntryPoint'), 'no SPIR-V');
  await page.keyboard.press('ArrowRight');
  check((await page.textContent('#reflection')).includes('"generation"'), 'no reflection');
  await page.close();
});

await test('a link holds the program', async () => {
  const page = await open('#program=sort&frames=1');
  await drawn(page);
  await page.focus('#source');
  await page.keyboard.press('Control+Home');
  await page.keyboard.type('// shared: ü\n');
  await page.fill('#build', '-DN=4');
  await page.click('#share');
  const link = new URL(page.url()).hash;
  const other = await open(link);
  check((await other.inputValue('#source')).startsWith('// shared: ü\n'), 'another text');
  check((await other.inputValue('#build')) === '-DN=4', 'other options');
  check((await other.inputValue('#gallery')) === 'sort', 'another program');
  await page.close();
  await other.close();
});

await test('a device has what the adapter offers', async () => {
  const page = await open('#program=life&frames=1');
  await drawn(page);
  const [has, offers] = await page.evaluate(async () => {
    const adapter = await navigator.gpu.requestAdapter();
    const told = ({ features, limits }) => [...['shader-f16', 'subgroups'].map((name) => features.has(name)), limits.maxStorageBuffersPerShaderStage, limits.maxComputeWorkgroupStorageSize].join(' ');
    return [told(window.playground.device()), told(adapter)];
  });
  check(has === offers, `it has ${has}, the adapter ${offers}`);
  if (offers.includes('true')) {
    // Ten buffers and a sub-group: more than WebGPU's defaults.
    const names = [...'abcdefghij'];
    await page.fill('#source', `kernel void k(${names.map((n) => `global int *${n}`).join(', ')}) { a[0] = sub_group_reduce_add(${names.slice(1).map((n) => `${n}[0]`).join(' + ')}); }`);
    await page.fill('#build', '-cl-std=CL3.0');
    await page.waitForFunction(() => document.getElementById('wgsl').textContent.includes('kernel k'));
    const wgsl = await page.textContent('#wgsl');
    check(wgsl.includes('subgroupAdd') && wgsl.includes('j: Buffer'), wgsl);
  }
  await page.close();
});

await test('a kernel that WebGPU cannot run is refused in its place', async () => {
  const page = await open('#program=life&frames=1');
  await drawn(page);
  await page.fill('#source', 'kernel void other() {}\nkernel void big(global int *p) {\n  local int l[1 << 20];\n  l[get_local_id(0)] = 1;\n  p[0] = l[p[1]];\n}\n');
  await page.waitForFunction(() => document.querySelector('#diagnostics .error'));
  check((await page.textContent('#diagnostics .error')).includes('2:13: big: the device'), await page.textContent('#diagnostics'));
  check((await page.textContent('#marks .error')) === 'big', 'the mark');
  await page.close();
});

await test('a barrier that WebGPU refuses is shown in its line', async () => {
  const page = await open('#program=life&frames=1');
  await drawn(page);
  const text = await page.inputValue('#source');
  const changed = text.replace(/(kernel void generation\([^{]*\{\n)/, '$1    if (get_global_id(0) & 1) {\n        barrier(CLK_GLOBAL_MEM_FENCE);\n    }\n');
  check(changed !== text, 'the source is another');
  await page.fill('#source', changed);
  await page.waitForFunction(() => document.querySelector('#diagnostics .error'));
  check((await page.textContent('#diagnostics .error')).includes('uniform control flow'), await page.textContent('#diagnostics'));
  check((await page.textContent('#marks .error')) === 'barrier(CLK_GLOBAL_MEM_FENCE);', await page.textContent('#marks .error'));
  await page.close();
});

await test('a lost device is told, and another is opened', async () => {
  const page = await open('#program=life');
  await page.waitForFunction(() => window.playground.frames > 3);
  await page.evaluate(() => window.playground.device().destroy());
  await page.waitForFunction(() => window.playground.lost === 1);
  await page.waitForFunction(() => document.getElementById('webgpu').textContent.includes('lost'));
  const before = await page.evaluate(() => window.playground.frames);
  await page.waitForFunction((n) => window.playground.frames > n + 3, before, { timeout: 30000 });
  await page.close();
});

await test('a phone', async () => {
  const page = await open('#program=mandelbrot&frames=1', { viewport: { width: 390, height: 844 }, hasTouch: true, deviceScaleFactor: 2 });
  await drawn(page);
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  check(width <= 390, `the page is ${width} wide`);
  const small = await page.evaluate(() => [...document.querySelectorAll('header button, header select, [role=tab]')].filter((b) => b.getBoundingClientRect().height < 32).length);
  check(small === 0, `${small} controls are too small for a finger`);
  if (BLESS) await page.screenshot({ path: join(root, 'docs/images/web-phone.png') });
  await page.close();
});

await chromium.close();
await test('without WebGPU the page says so, and compiles', async () => {
  chromium = await browser({ webgpu: false });
  const page = await open('#program=life');
  const bar = await page.textContent('#webgpu');
  check(await page.isVisible('#webgpu') && /WebGPU/.test(bar) && /compiled here/.test(bar), `it says: ${bar}`);
  if (BLESS) await page.screenshot({ path: join(root, 'docs/images/web-without.png') });
  await page.fill('#source', 'kernel void k(global int *p) { p[0] = q; }');
  await page.waitForFunction(() => document.querySelector('#diagnostics .error'));
  await page.fill('#source', 'kernel void k(global int *p) { p[0] = 1; }');
  await page.waitForFunction(() => document.getElementById('wgsl').textContent.includes('kernel k'));
  await chromium.close();
});

server.close();
for (const { id, first, median, load, frame } of times) {
  console.log(`web: ${id}: loaded in ${load.toFixed(0)} ms, compiled first in ${first.toFixed(1)} ms, then in ${median.toFixed(1)} ms; a frame in ${frame?.toFixed(1)} ms`);
}
console.log(`web: ${counts.passed} passed, ${counts.failed} failed`);
process.exit(counts.failed ? 1 : 0);
