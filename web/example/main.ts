// Adds 4096 numbers on WebGPU by a kernel in OpenCL C.

import { load, local } from 'pumice-web';
import source from './sum.cl?raw';

const result = document.getElementById('result') as HTMLElement;

async function main(): Promise<string> {
  const pumice = await load();
  const adapter = await navigator.gpu?.requestAdapter();
  if (!adapter) return 'This browser has no WebGPU.';
  const device = await adapter.requestDevice();
  const program = pumice.compile(source, { device });
  const error = program.diagnostics.find((d) => d.severity === 'error');
  if (error) return `${error.range?.line ?? 0}: ${error.message}`;
  const numbers = Int32Array.from({ length: 4096 }, (_, i) => i);
  const sums = new Int32Array(64);
  await program.kernel('sum').run({ global: 4096, local: 64, args: [numbers, sums, local(64 * 4)] });
  return `sum: ${sums.reduce((all, n) => all + n, 0)}`;
}

result.textContent = await main();
