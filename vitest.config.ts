import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: { conditions: ['development'] },
  ssr: { resolve: { conditions: ['development'] } },
  test: {
    include: ['{apps,packages,examples}/**/*.test.ts', 'acceptance/**/*.test.ts', 'tools/**/*.test.ts'],
    globalSetup: ['apps/api/test/global-setup.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // A machine under load may make a real browser or server late once; a defect fails every time.
    expect: { poll: { timeout: 20_000 } },
    retry: process.env['CI'] ? 2 : 0,
    // On two cores: a third of the time is waiting for timeouts, processes and browsers, which a third worker fills.
    maxWorkers: 3,
  },
})
