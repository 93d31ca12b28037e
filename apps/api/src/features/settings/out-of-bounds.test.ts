import { type SettingRow, settingTable } from '@rolecall/contract'
import { beforeEach, describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { mainEngines } from '../../../test/databases.ts'
import { adminForTests, worldForTests } from '../../../test/world-for-tests.ts'
import { sql } from '../../platform/db/sql.ts'

describe.each(mainEngines)('settings at and beyond their bounds on %s', (engine) => {
  const world = worldForTests(engine)
  const admin = adminForTests(world)
  beforeEach(() => call(world.url, 'POST', '/api/admin/settings/reset', admin))

  const get = () => call(world.url, 'GET', '/api/admin/settings', admin)
  const patch = (body: unknown) => call(world.url, 'PATCH', '/api/admin/settings', { ...admin, body })
  /** Writes values that no request could, and waits until they are read. */
  const store = async (json: string) => {
    const { db, settings } = world.service.deps
    await db.execute(sql`update settings set version = version + 1, overrides = ${json}::jsonb`)
    await settings.refresh()
  }
  const told = () => world.service.logs.lines.filter((line) => line.includes('stored setting ignored'))

  test('a stored value out of bounds is not in force, and told once for each change', async () => {
    const before = (await get()).body.cache.permissionTtlMs.value
    const known = told().length
    await store('{"cache.permissionTtlMs": 3600001, "rateLimit.maxWebhooksPerProject": 7}')
    for (let i = 0; i < 3; i++) expect((await get()).body.cache.permissionTtlMs.value).toBe(before)
    expect(world.service.deps.settings.current().maxWebhooksPerProject).toBe(7)
    const lines = told().slice(known)
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain('cache.permissionTtlMs is 3600001, but must be from 0 to 3600000')
    expect((await patch({ cache: { permissionTtlMs: 5 } })).body.cache.permissionTtlMs.value).toBe(5)
    expect(told().length).toBe(known + 1)
  })

  test.each([
    'null',
    '[]',
    '"x"',
    '5',
    '{"cache.permissionTtlMs": "5"}',
    '{"cache.permissionTtlMs": 1e300}',
    '{"cache.permissionTtlMs": {"a": null}}',
    '{"unknown.key": -1}',
  ])('with %s stored the settings are read, changed and reset', async (json) => {
    await store(json)
    expect((await get()).status).toBe(200)
    const changed = await patch({ cache: { statsTtlMs: 77 } })
    expect([changed.status, changed.body.cache.statsTtlMs.value]).toEqual([200, 77])
    expect((await call(world.url, 'POST', '/api/admin/settings/reset', admin)).status).toBe(200)
  })

  const editable = Object.entries(settingTable).flatMap(([group, rows]) =>
    Object.entries<SettingRow>(rows).flatMap(([key, row]) =>
      'editable' in row
        ? [[group, key, row.editable.min] as const, [group, key, row.editable.max] as const]
        : [],
    ),
  )

  test.each(editable)('%s.%s takes its bound %d, and all goes on with it', async (group, key, bound) => {
    expect((await patch({ [group]: { [key]: bound } })).body[group][key].value).toBe(bound)
    for (const path of ['monitoring/stats', 'monitoring/health', 'members', 'projects', 'profile']) {
      expect((await call(world.url, 'GET', `/api/admin/${path}`, admin)).status, path).toBe(200)
    }
    for (const beyond of [bound - 1, bound + 1].filter((value) => value !== bound)) {
      const reply = await patch({ [group]: { [key]: beyond } })
      expect([200, 400]).toContain(reply.status)
    }
  })
})
