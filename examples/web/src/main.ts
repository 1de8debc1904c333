import { load } from 'pumice-web';
import source from './saxpy.cl?raw';

const result = document.getElementById('result')!;

async function main(): Promise<string> {
  const adapter = await navigator.gpu?.requestAdapter();
  if (!adapter) return 'This browser has no WebGPU.';
  const [device, pumice] = await Promise.all([adapter.requestDevice(), load()]);
  const program = pumice.compile(source, { device });
  if (!program.ok) return program.diagnostics.map((d) => `${d.range?.line ?? 0}: ${d.message}`).join('\n');
  const x = Float32Array.from({ length: 8 }, (_, i) => i);
  const y = new Float32Array(8).fill(1);
  await program.kernel('saxpy').run({ global: 8, args: [x, y, 2] });
  return `2 x + 1: ${y.join(' ')}`;
}

result.textContent = await main();
