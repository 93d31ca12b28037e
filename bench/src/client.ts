import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { loadConfig } from '@rolecall/api/config'
import { sql } from '@rolecall/api/platform/db/sql'
import { createLog } from '@rolecall/api/platform/log'
import { openConfiguredDatabase } from '@rolecall/api/wiring/create-deps'
import { Rolecall } from '@rolecall/sdk'
import { freePort } from '../../tools/free-port.js'
import { loadCore, serverCore } from './compare.ts'
import { help } from './help.ts'
import { makeFolder, removeFolder, startPostgres } from './postgres.ts'
import { pin, startPinned, whenAnswering } from './processes.ts'
import { environment, prepare, roleIds, type Seeded, seedSessions } from './seed.ts'

help(`
npm run client -w bench

Measures validate() of the client library with its cache. First, the calls per second, compared with a lookup in a Map
after an await. Then the time from a role change or a logout until validate() shows it.

  SECONDS  duration of each measurement of calls per second (3)
  CHANGES  number of role changes, and of logouts (200)
`)

const seconds = Number(process.env['SECONDS'] ?? 3)
const changes = Number(process.env['CHANGES'] ?? 200)
const members = 9_000
/** The number of calls after which the loop yields. Otherwise, the process would not receive events. */
const perTurn = 2_000
const rolecall = fileURLToPath(new URL('../../apps/api/bin/rolecall.js', import.meta.url))

let calls = 0
const { fetch } = globalThis
globalThis.fetch = (...request) => {
  calls += 1
  return fetch(...request)
}

pin(loadCore, process.pid)
const folder = await makeFolder()
const postgres = await startPostgres(folder, serverCore)
const env = { ...environment, DATABASE_URL: postgres.url }
try {
  const seeded = await prepare(env, (deps) => seedSessions(deps, members))
  const port = await freePort()
  const service = startPinned(serverCore, [process.execPath, rolecall, 'serve'], {
    ...env,
    PORT: String(port),
  })
  const baseUrl = `http://127.0.0.1:${port}`
  await whenAnswering(`${baseUrl}/api/health/live`)
  await measureRates(baseUrl, seeded)
  await measureLateness(baseUrl, seeded)
  service.kill()
} finally {
  await postgres.stop()
  await removeFolder(folder)
}

/** Returns the calls per second. Each token is a new string, as if it came from a header. */
async function rateOf(tokens: readonly string[], validate: (token: string) => Promise<unknown>) {
  const headers = tokens.map((token) => Buffer.from(token, 'latin1'))
  const startedAt = performance.now()
  let done = 0
  while (performance.now() - startedAt < seconds * 1_000) {
    for (let i = 0; i < perTurn; i++, done++) {
      const header = headers[done % headers.length]
      if (header) await validate(header.toString('latin1'))
    }
    await setImmediate()
  }
  return done / ((performance.now() - startedAt) / 1_000)
}

async function measureRates(baseUrl: string, { apiKey, tokens }: Seeded) {
  for (const count of [1_000, members]) {
    const some = tokens.slice(0, count)
    const known = new Map(some.map((token) => [token, {}]))
    const client = new Rolecall({ baseUrl, apiKey, cache: { maxAgeMs: 600_000 } })
    await untilLocal(client, some)
    for (let round = 1; round <= 3; round++) {
      const before = calls
      const rate = await rateOf(some, (token) => client.validate(token))
      const floor = await rateOf(some, async (token) => known.get(token))
      console.log(
        `${count} tokens: ${rate.toLocaleString('en', { maximumFractionDigits: 0 })} a second, ` +
          `${(rate / floor).toFixed(2)} of the rate of a Map lookup, ${calls - before} requests to the service`,
      )
    }
    client.close()
  }
}

/** Measures the times from the start of a change until validate() shows it. */
async function measureLateness(baseUrl: string, { apiKey, tokens }: Seeded) {
  const db = await openConfiguredDatabase(loadConfig(env).config, createLog('warn'))
  const client = new Rolecall({ baseUrl, apiKey, cache: { maxAgeMs: 600_000 } })
  const other = new Rolecall({ baseUrl, apiKey })
  const watched = tokens.slice(0, changes)
  await untilLocal(client, watched)
  const wears = async (token: string, role: string) =>
    (await client.validate(token))?.roles.every(({ roleId }) => roleId === role) ?? false
  const late = { roles: [] as number[], logout: [] as number[] }
  const measure = async (list: number[], change: () => Promise<unknown>, isSo: () => Promise<boolean>) => {
    const from = performance.now()
    const changing = change()
    while (!(await isSo())) await setImmediate()
    list.push(performance.now() - from)
    await changing
    await sleep(20)
  }
  const [role = ''] = roleIds
  for (const token of watched) {
    const memberId = (await client.validate(token))?.member.id ?? ''
    const change = sql`update memberships set role_ids = array[${role}] where member_id = ${memberId}`
    await measure(
      late.roles,
      () => db.execute(change),
      () => wears(token, role),
    )
  }
  for (const token of watched) {
    await client.validate(token)
    await measure(
      late.logout,
      () => other.logout(token),
      async () => (await client.validate(token)) === undefined,
    )
  }
  for (const [name, list] of Object.entries(late)) {
    const sorted = list.sort((a, b) => a - b)
    const at = (share: number) => sorted[Math.floor(sorted.length * share)]?.toFixed(0)
    console.log(`${name}: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms of ${sorted.length}`)
  }
  client.close()
  await db.close()
}

/** Waits until the sessions of all tokens are cached. */
async function untilLocal(client: Rolecall, tokens: readonly string[]) {
  for (let isLocal = false; !isLocal; ) {
    const before = calls
    for (const token of tokens) await client.validate(token)
    isLocal = calls === before
  }
}
