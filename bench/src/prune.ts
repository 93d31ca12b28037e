import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { recordAudit } from '@rolecall/api/audit/record'
import { loadConfig } from '@rolecall/api/config'
import { openConfiguredDatabase } from '@rolecall/api/create-deps'
import { ensureMainServer } from '@rolecall/api/features/chat-servers/main-server'
import { migrate } from '@rolecall/api/platform/db/migrate'
import { sql } from '@rolecall/api/platform/db/sql'
import { createLog } from '@rolecall/api/platform/log'
import { demo } from '@rolecall/chat-sim'
import { freePort } from '../../tools/free-port.js'
import { help } from './help.ts'
import type { PlatformOrder } from './large-platform.ts'
import { makeFolder, removeFolder, startPostgres } from './postgres.ts'
import { startPinned, whenAnswering } from './processes.ts'

help(`
npm run prune -w bench

A mass departure: so many members leave one server at once. How long until all of it is written, how long a change in another
server takes meanwhile, and how long an audited write of somebody else.

  LEAVERS  who leave at once (20000)
`)

const leavers = Number(process.env['LEAVERS'] ?? 20_000)
const { mainGuildId: club, gamesGuildId: games } = demo
const rolecall = fileURLToPath(new URL('../../apps/api/bin/rolecall.js', import.meta.url))

const platform = fork(fileURLToPath(new URL('./large-platform.js', import.meta.url)), {
  env: { ...process.env, MEMBERS: String(leavers + 1_000) },
})
const [sim] = (await once(platform, 'message')) as [
  { apiUrl: string; authorizeUrl: string; botToken: string },
]
const order = (what: PlatformOrder) => platform.send(what)
const folder = await makeFolder()
const postgres = await startPostgres(folder, 0)
let service: ChildProcess | undefined
const env = {
  NODE_ENV: 'test',
  CHAT_API_URL: sim.apiUrl,
  CHAT_AUTHORIZE_URL: sim.authorizeUrl,
  CHAT_BOT_TOKEN: sim.botToken,
  CHAT_GUILD_ID: club,
  CHAT_GATEWAY: 'on',
  DATABASE_URL: postgres.url,
  RATE_LIMIT_GLOBAL: '0',
  LOG_LEVEL: 'error',
}
const db = await openConfiguredDatabase(loadConfig(env).config, createLog('warn'))
try {
  await migrate(db)
  await ensureMainServer({ db }, club)
  await db.execute(sql`insert into servers (id, name) values (${games}, 'Games')`)
  const port = await freePort()
  service = startPinned(0, [process.execPath, rolecall, 'serve'], { ...env, PORT: String(port) })
  await whenAnswering(`http://127.0.0.1:${port}/api/health/live`)
  await until(
    async () => (await count(sql`select count(*) as n from servers where live_until > clock_now()`)) === 2,
  )
  await db.analyze('members', 'memberships')
  const gone = async () =>
    (await count(sql`select count(*) as n from memberships where left_at is not null`)) >= leavers

  const renames: number[] = []
  const writes: number[] = []
  const startedAt = performance.now()
  order({ do: 'prune', count: leavers })
  let isOver = false
  const meanwhile = (async () => {
    while (!isOver) {
      await Promise.all([measureRename(renames), measureWrite(writes)])
      await sleep(50)
    }
  })()
  // Seldom: it reads all memberships, on the core that writes them.
  while (!(await gone())) await sleep(200)
  isOver = true
  const seconds = (performance.now() - startedAt) / 1_000
  await meanwhile
  console.log(`prune: ${leavers} leavers were written in ${seconds.toFixed(1)} s`)
  console.log(`  a change in another server: ${spread(renames)}`)
  console.log(`  an audited write: ${spread(writes)}`)
} finally {
  service?.kill()
  platform.kill()
  await db.close()
  await postgres.stop()
  await removeFolder(folder)
}

async function measureRename(times: number[]) {
  const since = performance.now()
  const nick = `renamed ${times.length}`
  order({ do: 'rename', nick })
  await until(
    async () =>
      (await count(
        sql`select count(*) as n from memberships where server_id = ${games} and nick = ${nick}`,
      )) > 0,
  )
  times.push(performance.now() - since)
}

async function measureWrite(times: number[]) {
  const since = performance.now()
  await db.transaction((tx) =>
    recordAudit(tx, { actionType: 'project', action: 'project.update', summary: 'Meanwhile.' }),
  )
  times.push(performance.now() - since)
}

async function count(statement: ReturnType<typeof sql>): Promise<number> {
  return (await db.maybeOne<{ n: number }>(statement))?.n ?? 0
}

async function until(check: () => Promise<boolean>) {
  const deadline = performance.now() + 120_000
  while (!(await check())) {
    if (performance.now() > deadline) throw new Error('it took too long')
    await sleep(3)
  }
}

function spread(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (part: number) => (sorted[Math.floor(sorted.length * part)] ?? 0).toFixed(0)
  return `${sorted.length} times, p50 ${at(0.5)} p99 ${at(0.99)} max ${(sorted.at(-1) ?? 0).toFixed(0)} ms`
}
