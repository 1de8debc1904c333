// The playground: compiles as one types, runs a scene of the gallery, draws.

import { load } from './pumice-web/index.js';
import { GALLERY } from './gallery.js';
import { makeEditor } from './editor.js';

const $ = (id) => document.getElementById(id);
const status = (text) => { $('status').textContent = text; };

/** What the playground asks a device for, as far as the adapter has it. */
const FEATURES = ['shader-f16', 'subgroups'];
const LIMITS = [
  'maxBufferSize',
  'maxStorageBufferBindingSize',
  'maxStorageBuffersPerShaderStage',
  'maxComputeWorkgroupStorageSize',
  'maxComputeInvocationsPerWorkgroup',
  'maxComputeWorkgroupSizeX',
  'maxComputeWorkgroupSizeY',
  'maxComputeWorkgroupSizeZ',
  'maxComputeWorkgroupsPerDimension',
];

/** The screen's period, in milliseconds. */
const PERIOD = 16;

let pumice = null;
let device = null;
let entry = GALLERY[0];
let scene = null;
let program = null;
let frame = 0;
let drawing = false;
let paused = false;
/** Frames after which a scene stands still (`frames` in the link; 0: never). */
let stopAfter = 0;
let typed = null;
const input = { pointer: null, pixels: null, slider: 3 };
/** What the tests look at. */
const state = (window.playground = { compiles: [], frames: 0, ready: false, lost: 0, error: null, frameTimes: [], loadTime: 0 });

const editor = makeEditor(() => {
  clearTimeout(typed);
  typed = setTimeout(build, 120);
});

/** Opens a device, and says where there is none. */
async function openDevice() {
  const bar = $('webgpu');
  const refuse = (why) => {
    bar.textContent = `${why} Programs are compiled here all the same; they do not run.`;
    bar.hidden = false;
    document.body.dataset.webgpu = 'missing';
  };
  if (!navigator.gpu) {
    refuse(isSecureContext ? 'This browser has no WebGPU.' : 'This page needs https (or localhost) for WebGPU.');
    return null;
  }
  const adapter = await navigator.gpu.requestAdapter().catch(() => null);
  if (!adapter) {
    refuse('This browser has WebGPU, but finds no adapter for it.');
    return null;
  }
  // All that kernels may have: what they do not use costs nothing.
  const found = await adapter.requestDevice({
    requiredFeatures: FEATURES.filter((name) => adapter.features.has(name)),
    requiredLimits: Object.fromEntries(LIMITS.map((name) => [name, adapter.limits[name]])),
  });
  bar.hidden = true;
  document.body.dataset.webgpu = 'there';
  found.lost.then(async (info) => {
    device = null;
    scene = null;
    program = null;
    state.lost += 1;
    bar.textContent = `The graphics device was lost (${info.message || info.reason}). A new one is opened.`;
    bar.hidden = false;
    device = await openDevice();
    if (device) {
      bar.textContent = 'The graphics device was lost. A new one was opened, and the program runs again.';
      bar.hidden = false;
    }
    build();
  });
  return found;
}

/** The error scopes of a device around some work. */
async function watched(work) {
  device.pushErrorScope('validation');
  device.pushErrorScope('out-of-memory');
  let result = null;
  let thrown = null;
  try {
    result = work();
  } catch (error) {
    thrown = error;
  }
  const errors = [await device.popErrorScope(), await device.popErrorScope()];
  const error = thrown ?? errors.find(Boolean);
  if (error) throw error;
  return result;
}

/**
 * Compiles the gallery's largest program: the browser compiles a function of the compiler when it is first called, which takes longer than the call, and
 * makes it faster when it has been called often.
 */
async function warmUp() {
  const { file } = GALLERY.find((each) => each.id === 'pathtracer');
  const response = await fetch(file);
  if (!response.ok) return;
  const text = await response.text();
  for (let n = 0; n < 4; n += 1) pumice.compile(text, { device }).free();
}

function build() {
  if (!pumice) return;
  const start = performance.now();
  let compiled;
  try {
    compiled = pumice.compile(editor.text, { options: $('build').value, device });
  } catch (error) {
    // Build options, or a fault of the compiler.
    editor.show([{ severity: 'error', id: 'options', message: String(error.message ?? error), range: null, notes: [], fixes: [] }]);
    return;
  }
  const took = performance.now() - start;
  state.compiles.push(took);
  editor.show(compiled.diagnostics);
  status(`compiled in ${took.toFixed(1)} ms: ${count(compiled.kernels.length, 'kernel')}, ${count(compiled.diagnostics.length, 'message')}`);
  if (!compiled.ok) {
    compiled.free();
    return;
  }
  showTexts(compiled);
  program?.free();
  program = compiled;
  scene = null;
  frame = 0;
  state.error = null;
  $('printed').textContent = '';
  if (!device) return;
  try {
    scene = entry.scene({ device, program, width: entry.width, height: entry.height });
  } catch (error) {
    fail(error);
    return;
  }
  go();
}

const count = (n, what) => `${n} ${what}${n === 1 ? '' : 's'}`;

function fail(error) {
  scene = null;
  const told = program?.explain(error);
  if (told) editor.show([...program.diagnostics, told]);
  state.error = String(error.message ?? error);
  $('printed').textContent = `The program does not run here: ${state.error}`;
}

function showTexts(compiled) {
  $('wgsl').textContent = compiled.kernels.map((k) => `// kernel ${k.name}\n${compiled.wgsl(k.name)}`).join('\n');
  $('spirv').textContent = compiled.listing();
  $('reflection').textContent = JSON.stringify(compiled.kernels.map((k) => ({ ...k, info: undefined })), null, 2);
}

/** Draws frames until the scene is done, another comes, or the user pauses. */
async function go() {
  if (drawing) return;
  drawing = true;
  while (scene && !paused) {
    const mine = scene;
    const start = performance.now();
    let more;
    try {
      more = await draw(mine);
    } catch (error) {
      if (scene === mine && device) fail(error);
      break;
    }
    state.frames += 1;
    state.frameTimes.push(performance.now() - start);
    if (scene !== mine) continue;
    frame += 1;
    if (!more || frame === stopAfter) break;
    // The screen has been painted during a frame that took longer than its period. A hidden page waits until it is seen.
    if (document.hidden || performance.now() - start < PERIOD) await new Promise((next) => requestAnimationFrame(next));
  }
  drawing = false;
  state.ready = true;
}

async function draw(mine) {
  const { width, height } = entry;
  let made = null;
  let staging = null;
  await watched(() => {
    const encoder = device.createCommandEncoder();
    made = mine.frame(encoder, frame, input);
    const shown = made.picture ?? made.read;
    staging = device.createBuffer({ size: shown.size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
    encoder.copyBufferToBuffer(shown, 0, staging, 0, shown.size);
    device.queue.submit([encoder.finish()]);
  });
  await staging.mapAsync(GPUMapMode.READ);
  const bytes = new Uint8Array(staging.getMappedRange()).slice();
  staging.destroy();
  let text = '';
  for (const launch of made.launches) {
    text += await launch.printed();
    launch.destroy();
  }
  if (scene !== mine) return false;
  const canvas = $('picture').getContext('2d');
  if (made.picture) {
    canvas.putImageData(new ImageData(new Uint8ClampedArray(bytes.buffer, 0, width * height * 4), width, height), 0, 0);
  } else {
    const told = mine.tell(bytes);
    text += told.text;
    bars(canvas, told.bars, width, height);
  }
  if (text) $('printed').textContent = text;
  return !entry.still && !made.done;
}

/** Draws numbers as columns. */
function bars(canvas, numbers, width, height) {
  canvas.fillStyle = '#12161f';
  canvas.fillRect(0, 0, width, height);
  canvas.fillStyle = '#6cf';
  const most = Math.max(...numbers, 1);
  numbers.forEach((n, i) => {
    const tall = (n / most) * height * 0.95;
    canvas.fillRect((i * width) / numbers.length, height - tall, Math.max(1, width / numbers.length - 0.5), tall);
  });
}

/** Goes to a program of the gallery, with its own source or another. */
async function open(chosen, text = null, options = '') {
  entry = chosen;
  $('gallery').value = entry.id;
  const canvas = $('picture');
  [canvas.width, canvas.height] = [entry.width, entry.height];
  canvas.getContext('2d').clearRect(0, 0, entry.width, entry.height);
  canvas.setAttribute('aria-label', `${entry.title}: the picture that the program draws`);
  input.pixels = null;
  input.pointer = null;
  $('file-label').hidden = !entry.takesPicture;
  $('slider-label').hidden = !entry.slider;
  if (entry.slider) {
    $('slider-label').firstElementChild.textContent = entry.slider.name;
    Object.assign($('slider'), { min: entry.slider.least, max: entry.slider.most, step: 1 });
    $('slider').value = entry.slider.value;
    input.slider = entry.slider.value;
  }
  state.ready = false;
  state.frames = 0;
  state.frameTimes = [];
  editor.text = text ?? (await (await fetch(entry.file)).text());
  $('build').value = options;
  build();
}

/** Text as base64 without characters that links change. */
const toLink = (text) => btoa(String.fromCharCode(...new TextEncoder().encode(text))).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
const fromLink = (text) => new TextDecoder().decode(Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0)));

function fromHash() {
  const fields = new URLSearchParams(location.hash.slice(1));
  const chosen = GALLERY.find((g) => g.id === fields.get('program')) ?? GALLERY[0];
  const text = fields.get('source');
  stopAfter = Number(fields.get('frames') ?? 0);
  try {
    return open(chosen, text && fromLink(text), fields.get('options') ?? '');
  } catch {
    status('the link is damaged');
    return open(chosen);
  }
}

async function share() {
  const fields = new URLSearchParams({ program: entry.id, source: toLink(editor.text) });
  if ($('build').value) fields.set('options', $('build').value);
  history.replaceState(null, '', `#${fields}`);
  const copied = await navigator.clipboard?.writeText(location.href).then(() => true, () => false);
  status(copied ? 'the link is copied, and in the address bar' : 'the link is in the address bar');
}

function tabs() {
  const all = [...document.querySelectorAll('[role=tab]')];
  const choose = (tab) => {
    for (const other of all) {
      const mine = other === tab;
      other.setAttribute('aria-selected', mine);
      other.tabIndex = mine ? 0 : -1;
      $(other.getAttribute('aria-controls')).hidden = !mine;
    }
  };
  all.forEach((tab, n) => {
    tab.addEventListener('click', () => choose(tab));
    tab.addEventListener('keydown', (event) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!by) return;
      const next = all[(n + by + all.length) % all.length];
      next.focus();
      choose(next);
    });
  });
}

function controls() {
  for (const { id, title } of GALLERY) $('gallery').append(new Option(title, id));
  $('gallery').addEventListener('change', () => {
    history.replaceState(null, '', location.pathname);
    stopAfter = 0;
    open(GALLERY.find((g) => g.id === $('gallery').value));
  });
  $('run').addEventListener('click', () => { setPaused(false); build(); });
  $('stop').addEventListener('click', () => setPaused(!paused));
  $('share').addEventListener('click', share);
  $('build').addEventListener('input', () => { clearTimeout(typed); typed = setTimeout(build, 120); });
  $('slider').addEventListener('input', () => { input.slider = Number($('slider').value); go(); });
  $('file').addEventListener('change', async () => {
    const [file] = $('file').files;
    if (!file) return;
    const bitmap = await createImageBitmap(file, { resizeWidth: entry.width, resizeHeight: entry.height });
    const canvas = new OffscreenCanvas(entry.width, entry.height).getContext('2d');
    canvas.drawImage(bitmap, 0, 0);
    input.pixels = canvas.getImageData(0, 0, entry.width, entry.height).data;
    go();
  });
  $('picture').addEventListener('pointermove', (event) => {
    const box = $('picture').getBoundingClientRect();
    input.pointer = [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
  });
  $('picture').addEventListener('pointerleave', () => { input.pointer = null; });
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      setPaused(false);
      build();
    }
  });
  addEventListener('hashchange', fromHash);
}

function setPaused(value) {
  paused = value;
  $('stop').textContent = paused ? 'Go on' : 'Pause';
  if (!paused) go();
}

tabs();
controls();
const start = performance.now();
[pumice, device] = await Promise.all([load(), openDevice()]);
await warmUp();
state.loadTime = performance.now() - start;
state.device = () => device;
await fromHash();
state.loaded = true;
