import { fork } from 'node:child_process'
import { once } from 'node:events'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createApp } from '@rolecall/api/app'
import { loadConfig } from '@rolecall/api/config'
import type { Deps } from '@rolecall/api/deps'
import { ensureMainServer } from '@rolecall/api/features/chat-servers/main-server'
import { createRecorder } from '@rolecall/api/features/monitoring/recorder'
import { createMemberSyncs } from '@rolecall/api/mirror/rest/member-syncs'
import { migrate } from '@rolecall/api/platform/db/migrate'
import { sql } from '@rolecall/api/platform/db/sql'
import { createLifecycle } from '@rolecall/api/platform/http/lifecycle'
import { createLog } from '@rolecall/api/platform/log'
import { createDeps, openConfiguredDatabase } from '@rolecall/api/wiring/create-deps'
import { demo } from '@rolecall/chat-sim'
import { freePort } from '../../tools/free-port.js'
import { help } from './help.ts'
import { makeFolder, removeFolder, startPostgres } from './postgres.ts'

help(`
npm run members -w bench

Reads all members of a server while other requests are served.

  MEMBERS       on the platform (50000)
  DATABASE_URL  pglite::memory: measures the embedded engine
`)

// The platform and the database run in separate processes, so that only the service delays the measured event loop.
const folder = await makeFolder()
const platform = fork(fileURLToPath(new URL('./large-platform.js', import.meta.url)))
const [sim] = (await once(platform, 'message')) as [
  { apiUrl: string; authorizeUrl: string; botToken: string },
]
const postgres = process.env['DATABASE_URL'] ? undefined : await startPostgres(folder)
try {
  await measure(process.env['DATABASE_URL'] || postgres?.url || '')
} finally {
  platform.kill()
  await postgres?.stop()
  await removeFolder(folder)
}

async function measure(databaseUrl: string) {
  const { config } = loadConfig({
    NODE_ENV: 'test',
    CHAT_API_URL: sim.apiUrl,
    CHAT_AUTHORIZE_URL: sim.authorizeUrl,
    CHAT_BOT_TOKEN: sim.botToken,
    CHAT_GUILD_ID: demo.mainGuildId,
    DATABASE_URL: databaseUrl,
  })
  const log = createLog('warn')
  const db = await openConfiguredDatabase(config, log)
  await migrate(db)
  await ensureMainServer({ db }, demo.mainGuildId)
  const deps = createDeps(config, log, db)
  const recorder = createRecorder(deps)
  const app = createApp(deps, recorder, createLifecycle())
  const url = `${await app.listen({ host: '127.0.0.1', port: await freePort() })}/api/health/ready`
  const syncs = createMemberSyncs(deps)
  for (const name of ['first sync', 'second sync, nothing changed']) await measureSync(deps, syncs, url, name)
  await app.close()
  await recorder.close()
  await deps.cache.close()
  await db.close()
}

async function measureSync(
  { db }: Deps,
  syncs: ReturnType<typeof createMemberSyncs>,
  url: string,
  name: string,
) {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  const latencies: number[] = []
  globalThis.gc?.()
  const memoryBefore = process.memoryUsage().rss
  let maxMemory = memoryBefore
  delay.enable()
  const { id } = await syncs.start({ id: demo.mainGuildId, name: 'Harbour Club' }, {})
  const find = () =>
    db.maybeOne<{ seen: number; changed: number; seconds: number | null; problem: string | null }>(sql`
      select seen, changed, problem, extract(epoch from finished_at - started_at)::float8 as seconds
      from member_syncs where id = ${id}`)
  let found = await find()
  while (found?.seconds === null) {
    const from = performance.now()
    await (await fetch(url)).arrayBuffer()
    latencies.push(performance.now() - from)
    maxMemory = Math.max(maxMemory, process.memoryUsage().rss)
    await sleep(5)
    found = await find()
  }
  delay.disable()
  const ms = (nanoseconds: number) => (nanoseconds / 1e6).toFixed(1)
  console.log(`${name}: ${found?.seen} seen, ${found?.changed} written in ${found?.seconds?.toFixed(1)} s ${found?.problem ?? ''}
  event loop delay p50 ${ms(delay.percentile(50))} p99 ${ms(delay.percentile(99))} max ${ms(delay.max)} ms
  other requests ${spread(latencies)}
  memory ${mebibytes(memoryBefore)} before, at most ${mebibytes(maxMemory)} MiB`)
}

function mebibytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(0)
}

function spread(times: number[]): string {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (part: number) => (sorted[Math.floor(sorted.length * part)] ?? 0).toFixed(1)
  return `p50 ${at(0.5)} p95 ${at(0.95)} p99 ${at(0.99)} ms`
}
