// A server for a folder, and Chromium with WebGPU on SwiftShader. Uses playwright-core from target/web/tools (scripts/web installs it).

import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { extname, join, normalize, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository. */
export const root = resolve(fileURLToPath(import.meta.url), '../../..');

const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.css': 'text/css',
  '.wasm': 'application/wasm',
  '.json': 'application/json',
  '.cl': 'text/plain; charset=utf-8',
  '.png': 'image/png',
};

/** Serves a folder on a free port of this machine. Gives the server's address and what closes it. */
export async function serve(folder) {
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url, 'http://localhost').pathname);
    const file = join(folder, normalize(path.endsWith('/') ? `${path}index.html` : path));
    try {
      const bytes = await readFile(file);
      response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' });
      response.end(bytes);
    } catch {
      response.writeHead(404);
      response.end();
    }
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return { url: `http://localhost:${server.address().port}`, close: () => server.close() };
}

/** Starts Chromium. `PUMICE_WEB_BROWSER` names another program than Debian's. */
export async function browser({ webgpu = true } = {}) {
  const { chromium } = createRequire(join(root, 'target/web/tools/'))('playwright-core');
  const gpu = webgpu ? ['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader'] : ['--disable-features=WebGPU', '--disable-webgpu'];
  return chromium.launch({
    executablePath: process.env.PUMICE_WEB_BROWSER ?? '/usr/bin/chromium',
    headless: false,
    args: [
      '--headless=new',
      '--no-sandbox',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...gpu,
    ],
  });
}

/** What a promise gives, or an error after some seconds. */
export function within(promise, seconds, what) {
  let timer = null;
  const late = new Promise((_, fail) => {
    timer = setTimeout(() => fail(new Error(what)), seconds * 1000);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
