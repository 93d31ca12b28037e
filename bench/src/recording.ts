import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createObserver } from '@rolecall/api/features/monitoring/observer'
import { createRecorder } from '@rolecall/api/features/monitoring/recorder'
import { openDatabase } from '@rolecall/api/platform/db/open-database'
import { createLog } from '@rolecall/api/platform/log'
import { createRequestMetrics } from '@rolecall/api/platform/metrics/request-metrics'
import { freePort } from '../../tools/free-port.js'
import { help } from './help.ts'
import { makeFolder, removeFolder, startPostgres } from './postgres.ts'
import { cpuSeconds, startPinned, whenAnswering } from './processes.ts'
import { environment, prepare, seedSessions } from './seed.ts'
import { load, validateRequests, writeRequests } from './wrk.ts'

help(`
npm run recording -w bench

What counting, timing and recording costs validate: the same service with it and without, in turn.

  ROUNDS    pairs (10)
  SECONDS   of each run (4)
  SESSIONS  (2000)
`)

/**
 * What recording costs validate: the same service with it and without, in turn, many short rounds, on one core that
 * the database shares; the load is on the other. A busy machine moves throughput by more than what is looked
 * for, so that processor time per request is the figure, each round against the one next to it.
 */
const rounds = Number(process.env['ROUNDS'] ?? 10)
const seconds = Number(process.env['SECONDS'] ?? 4)
const sessions = Number(process.env['SESSIONS'] ?? 2_000)
const connections = 64
const program = fileURLToPath(new URL('./monitored-server.js', import.meta.url))

const folder = await makeFolder()
const postgres = await startPostgres(folder, 0)
try {
  const observing = await measureAlone(postgres.url)
  const env = {
    ...environment,
    DATABASE_URL: postgres.url,
  }
  const seeded = await prepare(env, (deps) => seedSessions(deps, sessions))
  const script = join(folder, 'load.lua')
  await writeRequests(script, validateRequests(seeded.apiKey, seeded.tokens))
  const start = async (recording: string) => {
    const port = await freePort()
    const child = startPinned(0, [process.execPath, program], {
      ...env,
      PORT: String(port),
      RECORDING: recording,
    })
    const url = `http://127.0.0.1:${port}/api/auth/validate`
    await whenAnswering(url)
    await load(1, url, script, connections, seconds)
    return { url, child, pids: [child.pid as number, postgres.pid] }
  }
  const without = await start('off')
  const recorded = await start('on')
  const round = async ({ url, pids }: Awaited<ReturnType<typeof start>>) => {
    const before = cpuSeconds(pids)
    const { requests, requestsPerSecond } = await load(1, url, script, connections, seconds)
    return { requestsPerSecond, microseconds: ((cpuSeconds(pids) - before) / requests) * 1e6 }
  }
  const ratios: { cpu: number; rate: number }[] = []
  let cheapest = Number.POSITIVE_INFINITY
  for (let i = 0; i < rounds; i++) {
    // In both orders: what warms up or cools down within a pair cancels out.
    const order = i % 2 === 0 ? [without, recorded] : [recorded, without]
    const results = [await round(order[0] ?? without), await round(order[1] ?? recorded)]
    const [plain, watched] = i % 2 === 0 ? results : results.toReversed()
    if (!plain || !watched) continue
    cheapest = Math.min(cheapest, plain.microseconds)
    ratios.push({
      cpu: watched.microseconds / plain.microseconds,
      rate: watched.requestsPerSecond / plain.requestsPerSecond,
    })
    console.log(
      `  round ${i + 1}: without ${plain.requestsPerSecond.toFixed(0)} req/s, ${plain.microseconds.toFixed(1)} µs CPU; ` +
        `with ${watched.requestsPerSecond.toFixed(0)} req/s, ${watched.microseconds.toFixed(1)} µs CPU`,
    )
  }
  console.log(`\nprocessor time with / without recording: ${spread(ratios.map(({ cpu }) => cpu))}`)
  console.log(`throughput with / without recording:     ${spread(ratios.map(({ rate }) => rate))}`)
  console.log(
    `observing alone, of the cheapest round's request: ${((observing / cheapest) * 100).toFixed(2)}%`,
  )
  for (const { child } of [without, recorded]) child.kill()
} finally {
  await postgres.stop()
  await removeFolder(folder)
}

/** Microseconds of the processor that a request pays for being observed, measured alone: a million of them. */
async function measureAlone(databaseUrl: string) {
  const db = await openDatabase(databaseUrl)
  const recorder = createRecorder({ db, log: createLog('silent') })
  const { began, answered } = createObserver({
    recorder,
    requests: createRequestMetrics(),
    countFailure: () => {},
  })
  const request = { startedAtUs: 0 }
  const projects = Array.from({ length: 20 }, (_, i) => `0190a2c4-0000-7000-8000-0000000000${10 + i}`)
  const run = (count: number) => {
    const { user, system } = process.cpuUsage()
    for (let i = 0; i < count; i++) {
      began(request)
      answered('POST /api/auth/validate', projects[i % projects.length], i % 10 === 0 ? 401 : 200, request)
    }
    const since = process.cpuUsage({ user, system })
    return (since.user + since.system) / count
  }
  run(100_000)
  const heap = process.memoryUsage().heapUsed
  const microseconds = run(1_000_000)
  const bytes = Math.max(0, process.memoryUsage().heapUsed - heap) / 1_000_000
  console.log(`observing one request: ${(microseconds * 1_000).toFixed(0)} ns, ${bytes.toFixed(2)} bytes\n`)
  // The table is not there yet: nothing of this is to be written.
  await db.close()
  return microseconds
}

function spread(values: number[]) {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (part: number) => (sorted[Math.floor((sorted.length - 1) * part)] ?? 0).toFixed(3)
  return `median ${at(0.5)}, quartiles ${at(0.25)} to ${at(0.75)}`
}
