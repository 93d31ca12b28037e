import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

const source = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

/** The libraries that the shell uses, and so every page. */
const libraries =
  /node_modules\/(react|react-dom|scheduler|use-sync-external-store|@tanstack\/(?!react-virtual|virtual-core)[^/]+)\//

// Builds from the sources of the workspace, so that no package has to be compiled first.
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
    // Writes a manifest of the files of each page. A test reads it to measure them.
    manifest: true,
    // Inlines no file. The Content-Security-Policy of the page would block a `data:` URL.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      // Hides the warnings about "use client" in packages. It has no meaning here, because all code runs in the
      // browser.
      onLog: (level, log, next) => log.code !== 'MODULE_LEVEL_DIRECTIVE' && next(level, log),
      // Combines shared modules into two files, because thirty small ones would compress worse. A module is common if
      // half of the pages use it.
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
