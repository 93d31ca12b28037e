import { fork } from 'node:child_process'
import { once } from 'node:events'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createApp } from '@rolecall/api/app'
import { loadConfig } from '@rolecall/api/config'
import { createDeps, openConfiguredDatabase } from '@rolecall/api/create-deps'
import type { Deps } from '@rolecall/api/deps'
import { createDownloads } from '@rolecall/api/features/audit/open-download'
import { ensureMainServer } from '@rolecall/api/features/chat-servers/main-server'
import { exportMembers } from '@rolecall/api/features/members/export-members'
import { listMembers } from '@rolecall/api/features/members/list-members'
import { createRecorder } from '@rolecall/api/features/monitoring/recorder'
import { createMemberSyncs } from '@rolecall/api/mirror/rest/member-syncs'
import { migrate } from '@rolecall/api/platform/db/migrate'
import { sql } from '@rolecall/api/platform/db/sql'
import { createLifecycle } from '@rolecall/api/platform/http/lifecycle'
import { createLog } from '@rolecall/api/platform/log'
import { demo } from '@rolecall/chat-sim'
import { freePort } from '../../tools/free-port.js'
import { help } from './help.ts'
import { makeFolder, removeFolder, startPostgres } from './postgres.ts'

help(`
npm run members -w bench

Reading all members of a server while other requests are served, then lists and exports of 200,000 memberships.

  MEMBERS       on the platform (50000)
  DATABASE_URL  pglite::memory: measures the embedded engine
  SYNC_ONLY     1 leaves out lists and exports
`)

/**
 * Reading MEMBERS members (50,000) from the chat platform while other requests are served, then lists and
 * exports over 200,000 memberships. Platform and database are processes of their own, so that the delay of the
 * event loop is the service's alone. DATABASE_URL=pglite::memory: measures the embedded engine.
 */
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
  if (db.engine === 'postgres' && !process.env['SYNC_ONLY']) {
    await seedMemberships(deps)
    await measureLists(deps)
    for (const format of ['csv', 'json'] as const) await measureExport(deps, format)
  }
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

/** What a sync of 200,000 would leave, without asking for it. */
async function seedMemberships({ db }: Deps) {
  const games = demo.gamesGuildId
  await db.transaction(
    async (tx) => {
      await tx.script(`
        set local session_replication_role = replica;
        insert into servers (id, name) values ('${games}', 'Harbour Games');
        insert into members (id, username, global_name, is_club_member, is_current)
          select (200000000000000000 + i * 1234567)::text, substr(md5(i::text), 1, 4)
            || (array['amber', 'birch', 'cedar', 'coral', 'delta'])[1 + i % 5] || i, 'Person ' || i, i % 2 = 0, true
          from generate_series(1, 110000::bigint) i;
        insert into memberships (server_id, member_id, role_ids, joined_at, search_text)
          select '${demo.mainGuildId}', id, array['${demo.roles.crew}'], now(), search_text
          from members where id like '2000%' and is_club_member;
        insert into memberships (server_id, member_id, role_ids, joined_at, search_text)
          select '${games}', id, array['${demo.gamesRoles.player}'], now(), search_text
          from members order by id limit 95000;
        select count_member_totals()`)
    },
    { long: true },
  )
  // As PostgreSQL does by itself a moment after so many changes.
  await db.script('vacuum analyze')
}

async function measureLists({ db }: Deps) {
  const games = { serverId: [demo.gamesGuildId] }
  const queries: Record<string, Parameters<typeof listMembers>[1]> = {
    'first page': {},
    'last page': { page: 7_500 },
    'far beyond the end': { page: 1_000_000_000, limit: 100 },
    'search amber12': { search: 'amber12' },
    'search ber (every fifth)': { search: 'ber' },
    'search a': { search: 'a' },
    'search nobody': { search: 'nobody' },
    'club only': { filter: 'club' },
    'one server': games,
    'one server, page 4,000': { ...games, page: 4_000 },
    'both servers': { serverId: [demo.mainGuildId, demo.gamesGuildId] },
    'both servers, middle': { serverId: [demo.mainGuildId, demo.gamesGuildId], page: 3_200 },
    'one server, search amber12': { ...games, search: 'amber12' },
    'one role': { roleId: [demo.gamesRoles.player] },
    'one role, page 1,000': { roleId: [demo.gamesRoles.player], page: 1_000 },
    'one role, middle': { roleId: [demo.gamesRoles.player], page: 2_000 },
    'one server and a role of the other, middle': { ...games, roleId: [demo.roles.crew], page: 200 },
    'all filters': { ...games, roleId: [demo.roles.crew], filter: 'club', search: 'amber' },
    'unknown role': { roleId: ['999999999999999999'] },
  }
  for (const [name, query] of Object.entries(queries)) {
    const times: number[] = []
    let total = 0
    for (let i = 0; i < 40; i++) {
      const from = performance.now()
      total = (await listMembers({ db }, query)).total
      times.push(performance.now() - from)
    }
    console.log(`list, ${name}: ${total} members, ${spread(times)}`)
  }
}

async function measureExport(deps: Deps, format: 'csv' | 'json') {
  globalThis.gc?.()
  const before = process.memoryUsage().rss
  let peak = before
  let bytes = 0
  const from = performance.now()
  const by = { actor: { id: demo.users.mara, username: 'mara' } }
  const answer = await exportMembers({ db: deps.db, openDownload: createDownloads(deps) }, by, { format })
  const first = performance.now() - from
  for await (const chunk of answer.stream ?? []) {
    bytes += (chunk as Buffer).length
    peak = Math.max(peak, process.memoryUsage().rss)
  }
  console.log(
    `export ${format}: first bytes after ${first.toFixed(0)} ms, ${(bytes / 1e6).toFixed(1)} MB in ` +
      `${((performance.now() - from) / 1000).toFixed(1)} s, memory grew ${((peak - before) / 2 ** 20).toFixed(1)} MiB`,
  )
}

function mebibytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(0)
}

function spread(times: number[]): string {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (part: number) => (sorted[Math.floor(sorted.length * part)] ?? 0).toFixed(1)
  return `p50 ${at(0.5)} p95 ${at(0.95)} p99 ${at(0.99)} ms`
}
