import { readFileSync } from 'node:fs'
import { get } from 'node:http'
import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { loadConfig } from '@rolecall/api/config'
import { openConfiguredDatabase } from '@rolecall/api/create-deps'
import type { Database } from '@rolecall/api/platform/db/database'
import { sql } from '@rolecall/api/platform/db/sql'
import { createLog } from '@rolecall/api/platform/log'
import { freePort } from '../../tools/free-port.js'
import { serverCore } from './compare.ts'
import { help } from './help.ts'
import { makeFolder, removeFolder, startPostgres } from './postgres.ts'
import { cpuSeconds, startPinned, whenAnswering } from './processes.ts'
import { environment, prepare, seedSessions, serverId } from './seed.ts'

help(`
npm run events -w bench

What open streams of events cost: memory, processor time, how late an event is, and what a role change pays for them.

  STREAMS  open on one process (1000)
`)

/**
 * STREAMS (1,000) open streams of events on one process: its memory and processor time while they are open, how late
 * an event is at them and at a stream of a second process, and what the triggers cost whoever changes roles.
 */
const streams = Number(process.env['STREAMS'] ?? 1_000)
const members = 2_000
const rolecall = fileURLToPath(new URL('../../apps/api/bin/rolecall.js', import.meta.url))

const folder = await makeFolder()
const postgres = await startPostgres(folder, serverCore)
const env = {
  ...environment,
  DATABASE_URL: postgres.url,
}
try {
  const { apiKey } = await prepare(env, (deps) => seedSessions(deps, members))
  const db = await openConfiguredDatabase(loadConfig(env).config, createLog('warn'))
  await measureStreams(db, apiKey)
  await measureTriggers(db)
  await db.close()
} finally {
  await postgres.stop()
  await removeFolder(folder)
}

async function start() {
  const port = await freePort()
  const child = startPinned(serverCore, [process.execPath, rolecall, 'serve'], { ...env, PORT: String(port) })
  const url = `http://127.0.0.1:${port}`
  await whenAnswering(`${url}/api/health/live`)
  return { url, pid: child.pid as number, kill: () => child.kill() }
}

/** Opens a stream; `onEvent` is called with the member that each event is about. */
function open(url: string, apiKey: string, onEvent: (memberId: string) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    get(`${url}/api/events`, { headers: { 'x-api-key': apiKey }, agent: false }, (response) => {
      response.setEncoding('utf8')
      response.once('data', () => resolve())
      let text = ''
      response.on('data', (chunk: string) => {
        const frames = (text + chunk).split('\n\n')
        text = frames.pop() ?? ''
        for (const frame of frames) {
          const memberId = /"memberId": ?"(\d+)"/.exec(frame)?.[1]
          if (memberId) onEvent(memberId)
        }
      })
    }).on('error', reject)
  })
}

function rssMb(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
}

async function measureStreams(db: Database, apiKey: string) {
  const [one, two] = [await start(), await start()]
  const changedAt = new Map<string, number>()
  const late = { same: [] as number[], other: [] as number[] }
  const note = (list: number[]) => (memberId: string) => {
    const at = changedAt.get(memberId)
    if (at !== undefined) list.push(performance.now() - at)
  }
  let received = 0
  await open(one.url, apiKey, note(late.same))
  await open(two.url, apiKey, note(late.other))
  console.log(`one stream: ${rssMb(one.pid).toFixed(0)} MB, load of the machine ${loadavg()[0]?.toFixed(1)}`)
  const ids = (await db.query<{ id: string }>(sql`select id from members order by id limit 400`)).map(
    ({ id }) => id,
  )
  const changeRoles = async (role: string) => {
    const from = performance.now()
    for (const [i, id] of ids.entries()) {
      changedAt.set(id, performance.now())
      await db.execute(sql`update memberships set role_ids = array[${role}] where member_id = ${id}`)
      await sleep(Math.max(0, from + (i + 1) * 50 - performance.now()))
    }
    await sleep(500)
    return (performance.now() - from) / 1_000
  }
  const report = (title: string) => {
    for (const [name, list] of Object.entries(late)) {
      const sorted = list.splice(0).sort((a, b) => a - b)
      const at = (share: number) => sorted[Math.floor(sorted.length * share)]?.toFixed(0)
      console.log(`${title}, ${name} process: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms of ${sorted.length}`)
    }
  }
  await changeRoles('10')
  report('one stream each')
  for (let i = 1; i < streams; i++) await open(one.url, apiKey, () => received++)
  const idle = cpuSeconds([one.pid])
  await sleep(10_000)
  console.log(
    `${streams} streams: ${rssMb(one.pid).toFixed(0)} MB, ${((cpuSeconds([one.pid]) - idle) * 10).toFixed(1)} % of a core`,
  )
  for (let round = 0; round < 3; round++) {
    const busy = cpuSeconds([one.pid])
    const seconds = await changeRoles(`2${round}`)
    console.log(
      `20 changes/s to ${streams} streams for ${seconds.toFixed(0)} s: ${rssMb(one.pid).toFixed(0)} MB, ` +
        `${(((cpuSeconds([one.pid]) - busy) / seconds) * 100).toFixed(0)} % of a core, ${received} events received`,
    )
  }
  report(`${streams} streams`)
  one.kill()
  two.kill()
}

async function measureTriggers(db: Database) {
  const time = async (name: string, count: number, work: () => Promise<unknown>) => {
    const from = performance.now()
    await work()
    const us = ((performance.now() - from) * 1_000) / count
    console.log(`${name}: ${us.toFixed(0)} µs each`)
  }
  await db.script(`
    insert into members (id, username) select 400000000000000000 + n, 'm' || n from generate_series(1, 50000) n;
    insert into memberships (server_id, member_id, role_ids)
      select '${serverId}', id, '{}' from members where id like '4000000000000%';
    analyze`)
  const change = (role: string, where: string) =>
    db.script(`update memberships set role_ids = array['${role}'] where ${where}`)
  const confirm = () => db.script('update memberships set synced_at = clock_now()')
  for (const state of ['with', 'without']) {
    await time(`nothing changed, 52,000 at once, ${state} triggers`, 52_000, confirm)
    await time(`roles of 50,000 without a session, ${state}`, 50_000, () =>
      change(`${state}1`, "member_id like '4000000000000%'"),
    )
    await time(`roles of ${members} with a session, ${state}`, members, () =>
      change(`${state}2`, "member_id not like '4000000000000%'"),
    )
    if (state === 'with') await db.script('alter table memberships disable trigger memberships_roles_told')
  }
}
