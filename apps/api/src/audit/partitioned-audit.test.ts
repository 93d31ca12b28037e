import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { adminForTests, worldForTests } from '../../test/world-for-tests.ts'
import { migrate } from '../platform/db/migrate.ts'
import { sql } from '../platform/db/sql.ts'
import { recordAudit } from './record.ts'
import { deleteOldEntries } from './retention.ts'
import { verifyChain } from './verify-chain.ts'

const guide = readFileSync(new URL('../../../../docs/guides/partitioning.md', import.meta.url), 'utf8')
const script = /## Audit log by number[\s\S]*?```sql\n([\s\S]*?)```/.exec(guide)?.[1] ?? ''
/** Entries of one part: few, so that a few entries fill some. */
const size = 4

describe('the audit log that the guide divided by number, beside a running service', () => {
  const world = worldForTests('postgres')
  const db = () => world.service.deps.db
  const createProject = async (name: string) => {
    const response = await fetch(`${world.url}/api/admin/projects`, {
      method: 'POST',
      headers: { authorization: `Bearer ${admin.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name }),
    })
    expect(response.status, await response.clone().text()).toBe(201)
  }
  const listed = async () => {
    const response = await fetch(`${world.url}/api/admin/audit/logs?limit=100`, {
      headers: { authorization: `Bearer ${admin.token}` },
    })
    expect(response.status).toBe(200)
    return response.text()
  }
  const admin = adminForTests(world)
  beforeAll(async () => {
    for (let i = 0; i < 2 * size; i++) await createProject(`Before ${i}`)
    await Promise.all([
      db().script(script.replaceAll('1000000', String(size))),
      ...Array.from({ length: 5 }, (_, i) => createProject(`Meanwhile ${i}`)),
    ])
    await createProject('After')
  })

  test('lists what was written before, meanwhile and after, in a chain that verifies', async () => {
    const text = await listed()
    for (const name of ['Before 0', 'Before 7', 'Meanwhile 0', 'Meanwhile 4', 'After'])
      expect(text).toContain(name)
    expect((await verifyChain({ db: db() })).problem).toBeUndefined()
    const parts = await db().query(sql`
      select tableoid from audit_log where tableoid <> 'audit_log_rest'::regclass group by tableoid`)
    expect(parts.length).toBeGreaterThanOrEqual(3)
    await migrate(db())
  })

  test('refuses changes by hand as before, of the whole and of a part', async () => {
    for (const statement of [
      sql`delete from audit_log where seq = 1`,
      sql`update audit_log set summary = 'another' where seq = 1`,
      sql`truncate audit_log`,
      sql`delete from audit_log_0 where seq = 1`,
      sql`update audit_log_0 set summary = 'another' where seq = 1`,
    ])
      await expect(db().execute(statement)).rejects.toThrow('append-only')
  })

  test('lets old entries go, and a part of which none is left can be dropped', async () => {
    // Ages the entries as their owner, who disables the protection for a moment.
    await db().script(`
      begin;
      alter table audit_log disable trigger user;
      alter table audit_log_0 disable trigger user;
      alter table audit_log_1 disable trigger user;
      update audit_log set at = at - interval '40 days' where seq < ${2 * size};
      alter table audit_log_1 enable trigger user;
      alter table audit_log_0 enable trigger user;
      alter table audit_log enable trigger user;
      commit`)
    while ((await deleteOldEntries({ db: db(), record: recordAudit }, 30)) > 0);
    await db().script('drop table audit_log_0')
    expect(await verifyChain({ db: db() })).toMatchObject({ letGo: 2 * size - 1 })
    expect((await verifyChain({ db: db() })).problem).toBeUndefined()
    await createProject('Later')
    expect(await listed()).toContain('Later')
    await expect(db().execute(sql`delete from audit_log where seq = ${2 * size}`)).rejects.toThrow(
      'append-only',
    )
  })
})
