import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { mintToken } from '@rolecall/api/platform/crypto/tokens'
import { help } from './help.ts'
import { makeFolder, removeFolder, startPostgres } from './postgres.ts'
import { cpuSeconds, residentMiB } from './processes.ts'
import { environment, prepare, seedSessions } from './seed.ts'
import { startRolecall } from './services.ts'
import { type Load, load, validateRequests, writeRequests } from './wrk.ts'

help(`
npm run flood -w bench

Measures how a flood of invented API keys affects a valid caller. Compares the caller's p99 with the flood and without
it.

  ROUNDS     number of rounds (5)
  SECONDS    duration of each run (6)
  STRANGERS  number of strangers, each of whom sends ten requests per second (60)
`)

/**
 * The number of rounds. Each round measures a valid caller's p99 with strangers and without them. Strangers send keys
 * that do not exist, each from a new address. The keys are well-formed, which makes them the most expensive kind of
 * invalid key, because each needs a lookup and a record. In the end, measures the cost of a rejection at full speed.
 * Callers and strangers share one core, and the service and the database share the other.
 */
const rounds = Number(process.env['ROUNDS'] ?? 5)
const seconds = Number(process.env['SECONDS'] ?? 6)
/** The number of strangers. Each sends ten requests per second, at other moments than the others. */
const strangers = Number(process.env['STRANGERS'] ?? 60)

const folder = await makeFolder()
const postgres = await startPostgres(folder, 0)
try {
  const env = {
    ...environment,
    TRUST_PROXY: '127.0.0.1',
    DATABASE_URL: postgres.url,
  }
  const seeded = await prepare(env, (deps) => seedSessions(deps, 1_000))
  const good = join(folder, 'good.lua')
  await writeRequests(good, { ...validateRequests(seeded.apiKey, seeded.tokens), everyMs: 20 })
  const bad = join(folder, 'bad.lua')
  writeFlood(bad, seeded.tokens[0] ?? '', { everyMs: 100 })
  const fast = join(folder, 'fast.lua')
  await writeRequests(fast, validateRequests(seeded.apiKey, seeded.tokens))
  const badFast = join(folder, 'bad-fast.lua')
  writeFlood(badFast, seeded.tokens[0] ?? '')
  const service = await startRolecall(0, env)
  const url = `${service.url}/api/auth/validate`
  await load(1, url, good, 4, 3)
  await load(1, url, bad, strangers, 3)
  const cost = async (script: string) => {
    const pids = [service.pid, postgres.pid]
    const before = cpuSeconds(pids)
    const { requests } = await load(1, url, script, 32, seconds)
    return ((cpuSeconds(pids) - before) / requests) * 1e6
  }
  const validation = await cost(fast)
  const rejection = await cost(badFast)
  console.log(
    `  processor time: a validation ${validation.toFixed(0)} µs, a rejection ${rejection.toFixed(0)} µs; ` +
      `memory ${residentMiB(service.pid).toFixed(0)} MiB`,
  )
  const ratios: number[] = []
  for (let round = 0; round < rounds; round++) {
    const quiet = await load(1, url, good, 4, seconds)
    const [flooded, flood] = await Promise.all([
      load(1, url, good, 4, seconds),
      load(1, url, bad, strangers, seconds),
    ])
    if (quiet.failures + flooded.failures > 0) throw new Error('The valid caller was rejected.')
    ratios.push(flooded.p99Ms / quiet.p99Ms)
    console.log(
      `  round ${round + 1}: quiet ${told(quiet)}; with ${flood.failures} rejected (${flood.requestsPerSecond.toFixed(0)}/s) ${told(flooded)}; ` +
        `memory ${residentMiB(service.pid).toFixed(0)} MiB`,
    )
  }
  const sorted = ratios.toSorted((a, b) => a - b)
  console.log(
    `\np99 of the valid caller, with flood / without: median ${sorted[Math.floor(sorted.length / 2)]?.toFixed(2)}`,
  )
  await service.stop()
} finally {
  await postgres.stop()
  await removeFolder(folder)
}

function told({ requestsPerSecond, p50Ms, p99Ms }: Load) {
  return `${requestsPerSecond.toFixed(0)} req/s p50 ${p50Ms.toFixed(2)} p99 ${p99Ms.toFixed(2)} ms`
}

/** Writes the wrk script of the strangers. Each request has a different key and a different address. */
function writeFlood(path: string, token: string, { everyMs }: { everyMs?: number } = {}) {
  const keys = Array.from({ length: 5_000 }, () => mintToken('apiKey'))
  writeFileSync(`${path}.keys`, keys.join('\n'))
  writeFileSync(
    path,
    `local keys = {}
for line in io.lines("${path}.keys") do keys[#keys + 1] = line end
math.randomseed(os.time())
function request()
  local headers = {
    ["Content-Type"] = "application/json",
    ["X-API-Key"] = keys[math.random(#keys)],
    ["X-Forwarded-For"] = "10." .. math.random(255) .. "." .. math.random(255) .. "." .. math.random(255),
  }
  return wrk.format("POST", nil, headers, '{"token":"${token}"}')
end
${everyMs === undefined ? '' : `function delay() return math.random(${2 * everyMs}) end`}
`,
  )
}
