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
    'connections cut while idle, busy and at commit',
    'the next request gets another',
    'apps/api/src/platform/db/outage.test.ts',
  ],
  [
    'Database',
    'downloads that nobody reads on',
    'the database is let go',
    'apps/api/src/features/members/large-lists.test.ts',
  ],
  [
    'Database',
    'restored from a backup, in another cluster',
    'what is kept in memory is dropped; events begin anew',
    'apps/api/test/process/restore.test.ts',
  ],
  [
    'Database',
    'behind a pooler without prepared statements',
    'no request is answered with 5xx',
    'apps/api/test/process/pooler.test.ts',
  ],
  [
    'Database',
    'failing while everything works in the background',
    'one line in the log at its begin and its end',
    'apps/api/src/platform/db/outage-log.test.ts',
  ],
  [
    'Cache',
    'slow, resets, garbage, error replies, wrong password',
    'as if it were not there',
    'apps/api/src/platform/cache/redis-cache.test.ts',
  ],
  [
    'Chat platform',
    'every fault of a login: late, cut, half an answer, another user, 5 MB',
    'a redirect that says so, and no session',
    'apps/api/src/features/login/platform-faults.test.ts',
  ],
  [
    'Chat platform',
    'everything that its gateway does to clients, at random',
    'never more wrong than `rolesAsOf` says',
    'apps/api/src/mirror/gateway/chaos.test.ts',
  ],
  [
    'Chat platform',
    'what is no word about a member',
    'ends no membership',
    'apps/api/src/mirror/gateway/ends-nothing.test.ts',
  ],
  [
    'Process',
    'killed at any moment of a write',
    'what was answered is so; no second session',
    'apps/api/test/process/stop.test.ts',
  ],
  [
    'Process',
    'killed at each step of a submission',
    'a retry ends in exactly one',
    'apps/api/test/process/submit-kill.test.ts',
  ],
  [
    'Process',
    'killed while it reads all members',
    'it goes on where it was',
    'apps/api/test/process/sync-kill.test.ts',
  ],
  [
    'Process',
    'more work than it can do, and a heap that is nearly full',
    'new work is refused, validate last',
    'apps/api/test/process/overload.test.ts',
  ],
  [
    'Process',
    'a worker in a loop, stopped, or suspended as a whole',
    'it is replaced',
    'apps/api/test/process/hung-workers.test.ts',
  ],
  [
    'Two instances',
    'what one tells the other is lost or late; one is frozen, killed or has lost its connections',
    'no answer is stale',
    'apps/api/src/session-memory/faults.test.ts',
  ],
  [
    'Two instances',
    'the same code, the same pair, revocation against refresh',
    'one wins',
    'apps/api/src/features/sessions/races.test.ts',
  ],
  [
    'Two instances',
    'stopped in turn under load, behind proxies',
    'no request is lost',
    'apps/api/test/process/rolling.test.ts',
  ],
  [
    'Two instances',
    'an old version beside a new one',
    'the old one works on',
    'apps/api/test/process/old-beside-new.test.ts',
  ],
  [
    'Keys and config',
    'missing, malformed, of another deployment',
    'refused at the start, all at once, without a value',
    'apps/api/test/process/start.test.ts',
  ],
  [
    'Disk and logs',
    'a full disk',
    'lines of the log are lost, and nothing else',
    'apps/api/src/platform/log.test.ts',
  ],
  [
    'Embedded database',
    'its disk is full at the start',
    'the disk is named, the data is not blamed, and it starts when there is room',
    'apps/api/src/platform/db/full-folder.test.ts',
  ],
  [
    'Embedded database',
    'its log cannot be written, while it serves or stops',
    'exits 1 at once with one log line, and the next start has every acknowledged write',
    'apps/api/test/process/full-disk.test.ts',
  ],
]

/** Returns `docs/reference/faults.md`, which lists each fault, what is promised, and what was observed. */
export function faultsReference(): string {
  const rows = byTests.map(([part, fault, promise, test]) => {
    if (!existsSync(new URL(`../${test}`, import.meta.url))) throw new Error(`${test} is not there.`)
    return [part, fault, promise, `\`${test}\``]
  })
  return `${generated}
# Faults

The effect of each fault, and the run or test that shows it. [Run Rolecall in production](../guides/running.md) explains how to prepare for faults.

${measured()}
## Made by tests

Each run of the test suite causes these faults.

${table(['Part', 'Fault', 'Promise', 'Test'], rows)}`
}

/** Returns the tables with the results of the last `npm run faults`. */
function measured(): string {
  const file = new URL('../bench/results/faults.json', import.meta.url)
  if (!existsSync(file)) return 'Nothing has been measured yet: `npm run faults`.\n'
  const { tables, ...run }: Result = JSON.parse(readFileSync(file, 'utf8'))
  return tables
    .map((one) => `## ${one.title}\n\n${runLine(run)}\n\n${one.note}\n\n${columnsOf(one)}`)
    .join('\n')
}
