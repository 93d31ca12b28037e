import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { loadConfig } from '@rolecall/api/config'
import { ensureMainServer } from '@rolecall/api/features/chat-servers/main-server'
import { syncServer } from '@rolecall/api/mirror/rest/sync-server'
import { migrate } from '@rolecall/api/platform/db/migrate'
import { sql } from '@rolecall/api/platform/db/sql'
import { createLog } from '@rolecall/api/platform/log'
import { createDeps, openConfiguredDatabase } from '@rolecall/api/wiring/create-deps'
import { demo } from '@rolecall/chat-sim'
import { freePort } from '../../tools/free-port.js'
import { help } from './help.ts'
import type { Changed, PlatformOrder } from './large-platform.ts'
import { makeFolder, removeFolder, startPostgres } from './postgres.ts'
import { startPinned, whenAnswering } from './processes.ts'
import { seedSessionsOf } from './seed.ts'

help(`
npm run live -w bench

How live roles are: role changes a second on the simulated platform, and the time from a change to the first validate that
shows it; then validate while the platform answers 429, with the gateway and without.

  RATE     role changes a second (500)
  SECONDS  of each part (15)
  MEMBERS  on the platform (5000)
`)

/**
 * Measures how live roles are: RATE (500) role changes a second on the simulated platform for SECONDS (15), a tenth of
 * them of members with sessions. For each of those, measures the time from the change to the first validate that shows it.
 * Then measures the cost of validate while the platform responds to everything with 429, with the gateway and without.
 */
const rate = Number(process.env['RATE'] ?? 500)
const seconds = Number(process.env['SECONDS'] ?? 15)
const watched = 100
const lanes = 8
const club = demo.mainGuildId
const rolecall = fileURLToPath(new URL('../../apps/api/bin/rolecall.js', import.meta.url))

const platform = fork(fileURLToPath(new URL('./large-platform.js', import.meta.url)), {
  env: { ...process.env, MEMBERS: process.env['MEMBERS'] ?? '5000' },
})
const [sim] = (await once(platform, 'message')) as [
  { apiUrl: string; authorizeUrl: string; botToken: string },
]
const order = (what: PlatformOrder) => platform.send(what)
const folder = await makeFolder()
const postgres = await startPostgres(folder, 0)
let service: ChildProcess | undefined
try {
  const env = {
    NODE_ENV: 'test',
    CHAT_API_URL: sim.apiUrl,
    CHAT_AUTHORIZE_URL: sim.authorizeUrl,
    CHAT_BOT_TOKEN: sim.botToken,
    CHAT_GUILD_ID: club,
    CHAT_GATEWAY: 'on',
    DATABASE_URL: postgres.url,
    RATE_LIMIT_GLOBAL: '0',
    // Without the gateway, roles are due in every other validate.
    PERMISSION_TTL_MS: '500',
    LOG_LEVEL: 'error',
  }
  const seeded = await seedMembers(env)
  const port = await freePort()
  service = startPinned(0, [process.execPath, rolecall, 'serve'], { ...env, PORT: String(port) })
  const url = `http://127.0.0.1:${port}/api/auth/validate`
  await whenAnswering(url)
  const validate = async (token: string) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': seeded.apiKey },
      body: JSON.stringify({ token }),
    })
    if (response.status !== 200) throw new Error(`validate answered ${response.status}`)
    return (await response.json()) as { member: { displayName: string | null }; rolesSource: string }
  }
  await untilLive(() => validate(seeded.tokens[0] ?? ''))
  await measureFreshness(seeded, validate)

  const load = () => measureLoad(seeded.tokens, validate)
  report('validate, calm', await load())
  order({ do: 'storm', seconds: seconds + 2 })
  report('validate, 429 storm', await load())
  await sleep(4_000)
  order({ do: 'cut', seconds: seconds + 4 })
  await sleep(4_000)
  report('validate, gateway away', await load())
  await untilLive(() => validate(seeded.tokens[0] ?? ''))
  order({ do: 'cut', seconds: seconds + 8 })
  order({ do: 'storm', seconds: seconds + 8 })
  await sleep(4_000)
  report('validate, gateway away and 429 storm', await load())
} finally {
  service?.kill()
  platform.kill()
  await postgres.stop()
  await removeFolder(folder)
}

/** Creates sessions of people who are members on the platform. */
async function seedMembers(env: Record<string, string>) {
  const { config } = loadConfig(env)
  const db = await openConfiguredDatabase(config, createLog('warn'))
  await migrate(db)
  const deps = createDeps(config, createLog('warn'), db)
  await ensureMainServer({ db }, club)
  await syncServer(deps, club)
  const page = (await deps.chat.members(club, '0', 1_000)).filter(({ user }) => !user.isBot).slice(-watched)
  const seeded = await seedSessionsOf(
    deps,
    page.map((member) => () => member),
  )
  await db.execute(sql`analyze`)
  await deps.cache.close()
  await db.close()
  return { ...seeded, ids: page.map(({ user }) => user.id) }
}

type Validate = (token: string) => Promise<{ member: { displayName: string | null }; rolesSource: string }>

async function untilLive(ask: () => ReturnType<Validate>) {
  const deadline = performance.now() + 120_000
  while ((await ask()).rolesSource !== 'gateway') {
    if (performance.now() > deadline) throw new Error('the mirror did not become live')
    await sleep(100)
  }
}

async function measureFreshness(
  { ids, tokens }: { ids: string[]; tokens: readonly string[] },
  validate: Validate,
) {
  const tokenOf = new Map(ids.map((id, i) => [id, tokens[i] ?? '']))
  const waiting: Changed[] = []
  const took: number[] = []
  let edited: { edited: number; seconds: number } | undefined
  platform.on('message', (told: Changed | { edited: number; seconds: number }) => {
    if ('changed' in told) waiting.push(told)
    else edited = told
  })
  order({ do: 'edit', perSecond: rate, seconds, watched: ids })
  const lane = async () => {
    while (!edited || waiting.length > 0) {
      const change = waiting.shift()
      if (!change) await sleep(2)
      else took.push(await untilShown(change, tokenOf.get(change.changed) ?? '', validate))
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  console.log(
    `freshness: ${edited?.edited} role changes in ${edited?.seconds.toFixed(1)} s; ` +
      `from a change to the validate that shows it (${took.length} of them): ${spread(took)}`,
  )
}

/** Validates until a change shows, or a later one of the same member. */
async function untilShown({ at }: Changed, token: string, validate: Validate): Promise<number> {
  for (;;) {
    const { member } = await validate(token)
    if (Number(member.displayName) >= at) return Date.now() - at
    await sleep(2)
  }
}

async function measureLoad(tokens: readonly string[], validate: Validate) {
  const times: number[] = []
  const sources = new Map<string, number>()
  const end = performance.now() + seconds * 1_000
  const lane = async (from: number) => {
    for (let i = from; performance.now() < end; i++) {
      const askedAt = performance.now()
      const { rolesSource } = await validate(tokens[i % tokens.length] ?? '')
      times.push(performance.now() - askedAt)
      sources.set(rolesSource, (sources.get(rolesSource) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: lanes }, (_, i) => lane(i * 13)))
  return { times, sources }
}

function report(name: string, { times, sources }: Awaited<ReturnType<typeof measureLoad>>) {
  const parts = [...sources].map(([source, count]) => `${source} ${count}`).join(', ')
  console.log(`${name}: ${times.length} answers (${parts}), ${spread(times)}`)
}

function spread(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (part: number) => (sorted[Math.floor(sorted.length * part)] ?? 0).toFixed(1)
  return `p50 ${at(0.5)} p95 ${at(0.95)} p99 ${at(0.99)} max ${(sorted.at(-1) ?? 0).toFixed(1)} ms`
}
