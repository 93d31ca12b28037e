import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { interleaved, report, serverCore, type Target } from './compare.ts'
import { makeFolder, removeFolder, startPostgres } from './postgres.ts'
import { freePort, startPinned, whenAnswering } from './processes.ts'
import { startRedis } from './redis.ts'
import { environment, prepare, type Seeded, seedSessions } from './seed.ts'
import { writeScript } from './wrk.ts'

/**
 * Validate against the limit: a bare `node:http` server that parses the same body and answers the same
 * bytes. All run in turn, several rounds, on one core that the database shares; the load is on the other.
 */
const sessions = Number(process.env['SESSIONS'] ?? 10_000)
const rolecall = fileURLToPath(new URL('../../apps/api/bin/rolecall.js', import.meta.url))
const bare = fileURLToPath(new URL('./bare-server.js', import.meta.url))

const folder = await makeFolder()
const postgres = await startPostgres(folder, serverCore)
const redis = await startRedis(serverCore)
const alone = (pids: number[]): Row => ({ name: 'rolecall', cacheUrl: 'memory:', pids })
const withPostgres = [alone([postgres.pid])]
if (redis)
  withPostgres.push({ name: 'rolecall + Redis', cacheUrl: redis.url, pids: [postgres.pid, redis.pid] })
else console.log('The row with Redis is skipped: neither redis-server nor valkey-server is on the PATH.')
try {
  for (const [engine, databaseUrl] of Object.entries({
    PostgreSQL: postgres.url,
    PGlite: `pglite:${folder}/db`,
  })) {
    if (process.env['ENGINE'] && !engine.toLowerCase().startsWith(process.env['ENGINE'])) continue
    await measure(engine, databaseUrl, engine === 'PGlite' ? [alone([])] : withPostgres)
  }
} finally {
  redis?.stop()
  await postgres.stop()
  await removeFolder(folder)
}

interface Row {
  readonly name: string
  readonly cacheUrl: string
  /** Of what else works for it. */
  readonly pids: readonly number[]
}

/** Each row is a service of its own on the same database, with the rate limit on; they take turns with the bare server. */
async function measure(engine: string, databaseUrl: string, rows: readonly Row[]) {
  console.log(`\n${engine}: ${sessions} sessions`)
  const env = { ...environment, DATABASE_URL: databaseUrl }
  const seeded = await prepare(env, (deps) => seedSessions(deps, sessions))
  const script = join(folder, 'load.lua')
  await writeScript(script, seeded.apiKey, seeded.tokens)
  const services: ChildProcess[] = []
  const targets: Target[] = []
  for (const { name, cacheUrl, pids } of rows) {
    const port = await freePort()
    const flags = (process.env['NODE_FLAGS'] ?? '').split(' ').filter(Boolean)
    const service = startPinned(serverCore, [process.execPath, ...flags, rolecall, 'serve'], {
      ...env,
      CACHE_URL: cacheUrl,
      PORT: String(port),
    })
    services.push(service)
    const url = `http://127.0.0.1:${port}/api/auth/validate`
    await whenAnswering(url)
    await warmUp(url, seeded)
    targets.push({ name, url, pids: [service.pid as number, ...pids] })
  }
  const answer = await exampleAnswer(targets[0]?.url ?? '', seeded)
  const barePort = await freePort()
  const limit = startPinned(serverCore, [process.execPath, bare], {
    PORT: String(barePort),
    ANSWER: answer.toString('base64'),
  })
  await whenAnswering(`http://127.0.0.1:${barePort}`)
  const bareUrl = `http://127.0.0.1:${barePort}/`
  targets.unshift({ name: 'bare node:http', url: bareUrl, pids: [limit.pid as number] })
  for (const connections of [64, 1])
    report(connections, await interleaved(targets, () => script, connections))
  limit.kill()
  for (const service of services) {
    service.kill()
    await new Promise((resolve) => service.once('exit', resolve))
  }
}

/** Each session once: the first validate of a membership makes its finished answer. */
async function warmUp(url: string, seeded: Seeded) {
  const waiting = [...seeded.tokens]
  const lane = async () => {
    for (let token = waiting.pop(); token; token = waiting.pop()) await exampleAnswer(url, seeded, token)
  }
  await Promise.all(Array.from({ length: 32 }, lane))
}

/** One real answer: what the bare server answers too. */
async function exampleAnswer(url: string, { apiKey, tokens }: Seeded, token = tokens[0]): Promise<Buffer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
    body: JSON.stringify({ token }),
  })
  const body = Buffer.from(await response.arrayBuffer())
  if (response.status !== 200) throw new Error(`validate answered ${response.status}: ${body}`)
  return body
}
