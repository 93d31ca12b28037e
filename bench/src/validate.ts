import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { interleaved, report, serverCore, type Target } from './compare.ts'
import { makeFolder, removeFolder, startPostgres } from './postgres.ts'
import { freePort, startPinned, whenAnswering } from './processes.ts'
import { environment, prepare, type Seeded, seedSessions } from './seed.ts'
import { writeScript } from './wrk.ts'

/**
 * Validate against the limit: a bare `node:http` server that parses the same body and answers the same
 * bytes. Both run in turn, several rounds, on one core that the database shares; the load is on the other.
 */
const sessions = Number(process.env['SESSIONS'] ?? 10_000)
const rolecall = fileURLToPath(new URL('../../apps/api/bin/rolecall.js', import.meta.url))
const bare = fileURLToPath(new URL('./bare-server.js', import.meta.url))

const folder = await makeFolder()
const postgres = await startPostgres(folder, serverCore)
try {
  for (const [engine, databaseUrl] of Object.entries({
    PostgreSQL: postgres.url,
    PGlite: `pglite:${folder}/db`,
  })) {
    if (process.env['ENGINE'] && !engine.toLowerCase().startsWith(process.env['ENGINE'])) continue
    await measure(engine, databaseUrl, engine === 'PostgreSQL' ? [postgres.pid] : [])
  }
} finally {
  await postgres.stop()
  await removeFolder(folder)
}

async function measure(engine: string, databaseUrl: string, databasePids: readonly number[]) {
  console.log(`\n${engine}: ${sessions} sessions`)
  const env = { ...environment, DATABASE_URL: databaseUrl }
  const seeded = await prepare(env, (deps) => seedSessions(deps, sessions))
  const script = join(folder, 'load.lua')
  await writeScript(script, seeded.apiKey, seeded.tokens)
  const port = await freePort()
  const service = startPinned(
    serverCore,
    [process.execPath, ...(process.env['NODE_FLAGS'] ?? '').split(' ').filter(Boolean), rolecall, 'serve'],
    {
      ...env,
      PORT: String(port),
    },
  )
  const url = `http://127.0.0.1:${port}/api/auth/validate`
  await whenAnswering(url)
  await warmUp(url, seeded)
  const answer = await exampleAnswer(url, seeded)
  const barePort = await freePort()
  const limit = startPinned(serverCore, [process.execPath, bare], {
    PORT: String(barePort),
    ANSWER: answer.toString('base64'),
  })
  await whenAnswering(`http://127.0.0.1:${barePort}`)
  const targets: Target[] = [
    { name: 'bare node:http', url: `http://127.0.0.1:${barePort}/`, pids: [limit.pid as number] },
    { name: 'rolecall validate', url, pids: [service.pid as number, ...databasePids] },
  ]
  for (const connections of [64, 1])
    report(connections, await interleaved(targets, () => script, connections))
  limit.kill()
  service.kill()
  await new Promise((resolve) => service.once('exit', resolve))
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
