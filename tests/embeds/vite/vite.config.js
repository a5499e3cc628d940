import { defineConfig } from 'vite';

export default defineConfig({
  base: './',
  build: { outDir: 'out', target: 'es2022' },
  // The development server would move the module away from its WebAssembly.
  optimizeDeps: { exclude: ['packscope'] },
});
