import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

const source = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

/** The libraries of the shell, and thus of every page. */
const libraries =
  /node_modules\/(react|react-dom|scheduler|use-sync-external-store|@tanstack\/(?!react-virtual|virtual-core)[^/]+)\//

// From the sources of the workspace, so that nothing has to be compiled before it.
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/console/',
  publicDir: false,
  resolve: {
    alias: {
      '@rolecall/contract': source('packages/contract/src/index.ts'),
      '@rolecall/sdk/admin': source('packages/sdk/src/admin.ts'),
      '@rolecall/tenant-schema': source('packages/tenant-schema/src/index.ts'),
    },
  },
  css: { modules: { localsConvention: 'camelCaseOnly' } },
  build: {
    target: 'es2022',
    // Names the files of each page, which a test measures.
    manifest: true,
    // An inlined file is not from this origin, so the policy of the page would block it.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      // Packages mark code that runs in browsers, but here all code does.
      onLog: (level, log, next) => log.code !== 'MODULE_LEVEL_DIRECTIVE' && next(level, log),
      // Two files instead of thirty small ones, which compress worse. A module is common if half of the pages use it.
      output: {
        codeSplitting: {
          groups: [
            { name: 'shell', test: libraries, priority: 2 },
            { name: 'common', test: /\/(apps\/console\/src|packages)\//, minShareCount: 14, priority: 1 },
          ],
        },
      },
    },
    chunkSizeWarningLimit: 600,
  },
  server: { port: 5173, strictPort: true, proxy: { '/api': 'http://127.0.0.1:3000' } },
})
