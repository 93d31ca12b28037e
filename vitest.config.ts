import { defineConfig } from 'vitest/config'
import acceptance from './acceptance/vitest.config.ts'
import { SlowestFirst } from './tools/slowest-first.ts'

const everything = ['{apps,packages,examples,tools,clients}/**/*.test.ts']
/** A real browser may be late once on a machine under load; a defect fails every time. */
const browser = ['**/*browser.test.ts', 'acceptance/browser/*.test.ts']
/**
 * Real processes, servers that die and disks that fill, which are waited for. Nothing of the test's own process is
 * measured: files share it.
 */
const system = [
  'apps/api/src/deliveries/instances.test.ts',
  'apps/api/src/features/oidc/outage.test.ts',
  'apps/api/src/platform/cache/{redis-cache,redis-forms}.test.ts',
  'apps/api/src/platform/db/{full-disk,full-folder,outage-log}.test.ts',
  'apps/api/src/platform/metrics/cluster-metrics.test.ts',
  'apps/api/src/platform/pressure.test.ts',
  'apps/api/src/session-memory/{faults,history}.test.ts',
  // A model, which looks at no source.
  'apps/api/src/session-memory/lease-model.test.ts',
  'apps/api/test/process/*.test.ts',
  'apps/api/test/shared-limit.test.ts',
  'tools/deploy.test.ts',
  'tools/{alert-windows,artifacts,package}.test.ts',
  'clients/**/*.test.ts',
  'tools/{sdk,shown}/*.test.ts',
  'apps/api/src/cli/*.test.ts',
]
/** Sweeps: races, random sequences, and comparisons of every kind, which take the processor for many seconds each. */
const sweeps = [
  'apps/api/src/audit/audit-chain.test.ts',
  'apps/api/src/deliveries/kinds.test.ts',
  'apps/api/src/features/blocks/block-races.test.ts',
  'apps/api/src/features/dry-run/{dry-run,other-ways}.test.ts',
  'apps/api/src/features/events/key-checks.test.ts',
  'apps/api/src/features/explain/{explain-property,other-ways}.test.ts',
  'apps/api/src/features/login/{login-limits,platform-faults}.test.ts',
  'apps/api/src/features/members/{export-turns,member-lists,totals}.test.ts',
  'apps/api/src/features/oidc/{answer-from-memory,device-polls,plain-grants,redemptions,resource-consent,resources}.test.ts',
  'apps/api/src/features/project-reads/made-up-reads.test.ts',
  'apps/api/src/features/projects/{groups,instances}.test.ts',
  'apps/api/src/features/sessions/{gathered-changes,races}.test.ts',
  'apps/api/src/mirror/gateway/{departures,ends-nothing,leavers-while-away,role-removals}.test.ts',
  'apps/api/test/{admin-writes-at-once,contract-property,list-statements}.test.ts',
  'packages/tenant-schema/src/json-schema/parity.test.ts',
]
/** Tests that use third-party packages, which are installed before the first of them runs. */
const peers = ['tools/peers/*.test.ts', 'tools/site/{search,site}.test.ts']
/** Tests that measure memory, event loop turns, or globals of their process. Each has a process to itself. */
const measured = [
  'packages/sdk/src/adapters.test.ts',
  'packages/sdk/src/site/{site,logins}.test.ts',
  'apps/api/src/mirror/gateway/{chaos,takeover}.test.ts',
  'apps/api/src/features/members/large-lists.test.ts',
  'apps/api/src/features/monitoring/recorder.test.ts',
  'apps/api/src/features/notifications/instances.test.ts',
  'apps/api/src/platform/cache/memory-cache.test.ts',
  'apps/api/src/platform/db/{outage,several-hosts}.test.ts',
  'apps/api/src/platform/http/hostile-input.test.ts',
  'packages/tenant-schema/src/json-schema/{hostile,patterns}.test.ts',
  'apps/api/src/platform/rate-limit/rate-limiter.test.ts',
  'apps/api/src/session-memory/server-members.test.ts',
]
/** Tests that measure waiting times, and must run alone. */
const alone = [
  'apps/api/src/features/login/login-flood.test.ts',
  'tools/alerts.test.ts',
  'acceptance/browser/second-start.test.ts',
  // Events wait for the oldest transaction of the database server, also of other tests.
  'apps/api/src/features/events/streams.test.ts',
  // Clients and instances that have to wait for a processor miss the moment in which a connection may still be used.
  'apps/api/test/process/rolling.test.ts',
]
/** Tests that check the whole run after it has ended. */
const last = ['tools/{pglite-statements,shown-commands-run}.test.ts']

/** Settings of every project. The `globalSetup` of the root is not included, because it runs once. */
const shared = {
  resolve: { conditions: ['development'] },
  ssr: { resolve: { conditions: ['development'] } },
}
const settings = {
  testTimeout: 60_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 20_000 } },
}
/** On two cores: half of the time is waiting, for time-outs, processes and browsers. A fourth made nothing faster. */
const few = { maxWorkers: 3, sequence: { groupOrder: 1 } }
/** The rest waits for time-outs, and computes little. */
const many = { maxWorkers: 5 }
const exclude = ['**/node_modules/**']

export default defineConfig({
  test: {
    globalSetup: ['apps/api/test/global-setup.ts'],
    sequence: { sequencer: SlowestFirst },
    // Each project would transform all sources for itself. Only in a clean checkout: elsewhere, a module could outlive
    // the files that it was resolved from.
    experimental: { fsModuleCache: process.env['CI'] !== undefined },
    projects: [
      {
        ...shared,
        test: {
          ...settings,
          ...many,
          name: 'fast',
          include: everything,
          exclude: [...exclude, ...sweeps, ...system, ...measured, ...browser, ...alone, ...last, ...peers],
          // Files share processes: for most of them imports are half of the work.
          isolate: false,
        },
      },
      {
        ...shared,
        test: { ...settings, ...many, name: 'sweeps', include: sweeps, exclude, isolate: false },
      },
      { ...acceptance, test: { ...acceptance.test, ...settings, ...many } },
      {
        ...shared,
        test: {
          ...settings,
          ...few,
          name: 'system',
          include: system,
          exclude: [...exclude, ...browser, ...alone],
          isolate: false,
        },
      },
      {
        ...shared,
        test: {
          ...settings,
          ...few,
          name: 'peers',
          globalSetup: ['tools/peers/install.ts'],
          include: peers,
          exclude,
        },
      },
      { ...shared, test: { ...settings, ...few, name: 'measured', include: measured, exclude } },
      {
        ...shared,
        test: {
          ...settings,
          ...few,
          name: 'browser',
          include: browser,
          exclude: [...exclude, ...alone],
          isolate: false,
          retry: process.env['CI'] ? 2 : 0,
        },
      },
      {
        ...shared,
        test: {
          ...settings,
          name: 'alone',
          include: alone,
          exclude,
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
      {
        ...shared,
        test: {
          ...settings,
          name: 'last',
          include: last,
          exclude,
          maxWorkers: 1,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
})
