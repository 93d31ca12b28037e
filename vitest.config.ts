import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: { conditions: ['development'] },
  ssr: { resolve: { conditions: ['development'] } },
  test: {
    include: ['{apps,packages,examples}/**/*.test.ts', 'acceptance/**/*.test.ts', 'tools/**/*.test.ts'],
    globalSetup: ['apps/api/test/global-setup.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Two cores: more workers than that only fight each other.
    maxWorkers: 2,
  },
})
