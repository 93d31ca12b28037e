import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** Tests that know only the address of the service. `npm run acceptance` runs them, and so does the whole suite. */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  resolve: { conditions: ['development'] },
  ssr: { resolve: { conditions: ['development'] } },
  test: {
    name: 'acceptance',
    include: ['*.test.ts', 'api/*.test.ts'],
    globalSetup: [fileURLToPath(new URL('setup.ts', import.meta.url))],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    isolate: false,
  },
})
