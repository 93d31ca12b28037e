import { existsSync, readFileSync } from 'node:fs'
import type { Result } from '../bench/src/results.ts'
import { columnsOf, runLine } from './generate-figures.ts'
import { generated, table } from './pages.ts'

/**
 * The faults that `npm run faults` cannot cause, because they need access to the process or more instances. Tests do.
 */
const byTests: readonly (readonly [part: string, fault: string, promise: string, test: string])[] = [
  [
    'Database',
    'connections closed while idle, while busy, and at commit',
    'The next request gets a new connection.',
    'apps/api/src/platform/db/outage.test.ts',
  ],
  [
    'Database',
    'clients that stop reading a download',
    'The database connection is released.',
    'apps/api/src/features/members/large-lists.test.ts',
  ],
  [
    'Database',
    'restored from a backup, in another cluster',
    'Caches are cleared, and event streams are reset.',
    'apps/api/test/process/restore.test.ts',
  ],
  [
    'Database',
    'behind a pooler without prepared statements',
    'No request fails.',
    'apps/api/test/process/pooler.test.ts',
  ],
  [
    'Database',
    'unavailable while background jobs run',
    'The log has one line at the start of the outage, and one at its end.',
    'apps/api/src/platform/db/outage-log.test.ts',
  ],
  [
    'Cache',
    'slow responses, connection resets, invalid or error replies, and a wrong password',
    'Requests are served as without a cache.',
    'apps/api/src/platform/cache/redis-cache.test.ts',
  ],
  [
    'Discord',
    'faults of a sign-in: late, closed, incomplete, or oversized responses, and another user',
    'The browser is redirected with the error, without a session.',
    'apps/api/src/features/login/platform-faults.test.ts',
  ],
  [
    'Discord',
    'random faults of the gateway',
    'Roles were current at the time in `rolesAsOf`.',
    'apps/api/src/mirror/gateway/chaos.test.ts',
  ],
  [
    'Discord',
    'events and errors that do not concern a membership',
    'No membership ends.',
    'apps/api/src/mirror/gateway/ends-nothing.test.ts',
  ],
  [
    'Process',
    'killed at any moment of a write',
    'Acknowledged changes are stored. No second session is created.',
    'apps/api/test/process/stop.test.ts',
  ],
  [
    'Process',
    'killed at each step of a submission',
    'A retry stores exactly one submission.',
    'apps/api/test/process/submit-kill.test.ts',
  ],
  [
    'Process',
    'killed during a member sync',
    'The sync continues where it stopped.',
    'apps/api/test/process/sync-kill.test.ts',
  ],
  [
    'Process',
    'overload, and a heap that is nearly full',
    'New requests are rejected. Validate requests are the last to be rejected.',
    'apps/api/test/process/overload.test.ts',
  ],
  [
    'Process',
    'a worker that hangs, or is suspended',
    'A new worker replaces it.',
    'apps/api/test/process/hung-workers.test.ts',
  ],
  [
    'Two instances',
    'lost or late messages between instances; one is suspended, killed, or disconnected',
    'No response is stale.',
    'apps/api/src/session-memory/faults.test.ts',
  ],
  [
    'Two instances',
    'the same code or refresh token at both, and exchanges during a sign-out of all sessions',
    'Exactly one request succeeds. No ended session stays valid.',
    'apps/api/src/features/sessions/races.test.ts',
  ],
  [
    'Two instances',
    'a rolling restart under load, behind proxies',
    'No request fails.',
    'apps/api/test/process/rolling.test.ts',
  ],
  [
    'Two instances',
    'an old version beside a new one',
    'The old version continues to work.',
    'apps/api/test/process/old-beside-new.test.ts',
  ],
  [
    'Keys and config',
    'missing, malformed, or of another deployment',
    'The start fails with a list of all problems, without secret values.',
    'apps/api/test/process/start.test.ts',
  ],
  ['Disk and logs', 'a full disk', 'Only log lines are lost.', 'apps/api/src/platform/log.test.ts'],
  [
    'Embedded database',
    'a full disk at the start',
    'The error names the full disk. The service starts when there is space.',
    'apps/api/src/platform/db/full-folder.test.ts',
  ],
  [
    'Embedded database',
    'its write-ahead log cannot be written, while it serves or stops',
    'The process writes one log line and exits with 1. After the next start, all acknowledged changes are stored.',
    'apps/api/test/process/full-disk.test.ts',
  ],
]

/** Returns `docs/reference/faults.md`, which lists each fault, what is promised, and what was observed. */
export function faultsReference(): string {
  const rows = byTests.map(([part, fault, promise, test]) => {
    if (!existsSync(new URL(`../${test}`, import.meta.url))) throw new Error(`${test} does not exist.`)
    return [part, fault, promise, `\`${test}\``]
  })
  return `${generated}
# Faults

This page lists each fault, its promised effect, and the run or test that shows it. [Run Rolecall in production](../guides/running.md) explains how to prepare for faults.

${measured()}
## Faults in the test suite

Each run of the test suite causes these faults.

${table(['Part', 'Fault', 'Promise', 'Test'], rows)}`
}

/** Returns the tables with the results of the last `npm run faults`. */
function measured(): string {
  const file = new URL('../bench/results/faults.json', import.meta.url)
  if (!existsSync(file)) return 'No results yet. Run `npm run faults`.\n'
  const { tables, ...run }: Result = JSON.parse(readFileSync(file, 'utf8'))
  return tables
    .map((one) => `## ${one.title}\n\n${runLine(run)}\n\n${one.note}\n\n${columnsOf(one)}`)
    .join('\n')
}
