import { defineConfig } from 'vite';

// Nothing is inlined and nothing is polyfilled: the content security policy of the server allows files of
// this origin only.
export default defineConfig({
  esbuild: { jsx: 'automatic', jsxImportSource: 'preact' },
  build: {
    target: 'es2022',
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  worker: { format: 'es' },
  server: { proxy: { '/api': process.env.MUSTER_SERVER ?? 'http://127.0.0.1:8080', '/enter': process.env.MUSTER_SERVER ?? 'http://127.0.0.1:8080' } },
  test: { include: ['test/unit/**/*.test.ts'] },
});
