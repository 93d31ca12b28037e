import { demo, demoWorld } from '@rolecall/chat-sim'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildOnce } from '../../../../tools/build-once.js'
import { freePort } from '../../../../tools/free-port.js'
import { openDatabase } from '../../src/platform/db/open-database.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { call } from '../client.ts'
import { emptyDatabaseForTests } from '../database-for-tests.ts'
import { mainEngines } from '../databases.ts'
import { walkAdminLogin } from '../given.ts'
import { folderForTests, simForTests } from '../process-for-tests.ts'
import { environmentFor, type ServiceProcess, startService } from './service-process.ts'

const crowd = 50_000

describe.each(mainEngines)('a service on %s that is killed while it reads the members', (engine) => {
  const sim = simForTests({ headlessLogin: true, world: demoWorld({ crowd }) })
  const folder = folderForTests('rolecall-kill-')
  const database = emptyDatabaseForTests(engine)
  let environment: Record<string, string>
  let service: ServiceProcess
  let token: string
  beforeAll(async () => {
    await buildOnce(() => {})
    environment = { ...environmentFor(sim, await freePort()), DATABASE_URL: database.url }
    sim.allowRedirect(environment['CHAT_CALLBACK_URL'] as string)
    await start()
    token = await walkAdminLogin({ url: service.url, sim })
  })
  afterAll(() => service.kill('SIGKILL'))
  const start = async () => {
    service = startService(folder, environment)
    await service.listening
  }
  /** Ages the heartbeat of the sync, so that its process counts as lost. */
  const aMinutePasses = async () => {
    const db = await openDatabase(database.url)
    await db.execute(sql`update member_syncs set beat_at = beat_at - interval '1 minute'`)
    await db.close()
  }
  const readServer = async () => {
    const { body } = await call(service.url, 'GET', '/api/admin/servers', { token })
    return body.data.find(({ id }: { id: string }) => id === demo.mainGuildId)
  }
  const seen = async () => (await readServer()).lastSync.seen

  test('goes on where it was, and in the end every member is there and one entry tells of it', async () => {
    const sync = () => call(service.url, 'POST', `/api/admin/servers/${demo.mainGuildId}/sync`, { token })
    const { id } = (await sync()).body
    await expect.poll(seen, { interval: 5 }).toBeGreaterThan(crowd / 10)
    await service.kill('SIGKILL')
    sim.journal.clear()
    await aMinutePasses()
    await start()
    await expect
      .poll(async () => (await readServer()).lastSync.status, { timeout: 60_000, interval: 250 })
      .toBe('succeeded')
    const { lastSync, memberCount } = await readServer()
    const all = sim.world.guilds.get(demo.mainGuildId)?.members.size
    expect(lastSync).toMatchObject({ id, seen: all, ended: 0 })
    expect(memberCount).toBe(all)
    const pages = sim.journal.entries('members').map(({ query }) => query)
    expect(pages).not.toEqual([])
    expect(pages).not.toContainEqual(expect.stringMatching(/after=0(&|$)/))
    const { body } = await call(service.url, 'GET', '/api/admin/audit/logs?actionType=sync', { token })
    const told = body.data.filter(({ action }: { action: string }) => action === 'server.sync')
    expect(told).toHaveLength(1)
  }, 240_000)
})
