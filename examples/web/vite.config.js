import { defineConfig } from 'vite';

// Modules with await at their top need browsers of 2021. The package is a link to a folder, whose WebAssembly Vite leaves as it is.
export default defineConfig({
  build: { target: 'es2022' },
  optimizeDeps: { exclude: ['pumice-web'] },
  server: { fs: { allow: ['../..'] } },
});
