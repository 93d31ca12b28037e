import { demo } from '@rolecall/chat-sim'
import { type SettingRow, settingTable } from '@rolecall/contract'
import { beforeEach, describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { mainEngines } from '../../../test/databases.ts'
import { adminForTests, worldForTests } from '../../../test/world-for-tests.ts'
import { loadConfig } from '../../config.ts'
import { sql } from '../../platform/db/sql.ts'
import { readSettings } from './read-settings.ts'
import { resetSettings, updateSettings } from './write-settings.ts'

const secrets = {
  CHAT_CLIENT_SECRET: 'chat-sim_client-secret_not-a-real-one',
  METRICS_TOKEN: 'metrics-canary',
}

describe.each(mainEngines)('the settings on %s', (engine) => {
  const world = worldForTests(engine, { ...secrets, STATS_TTL_MS: '1234' })
  const admin = adminForTests(world)
  beforeEach(() => reset())

  const get = async () => (await call(world.url, 'GET', '/api/admin/settings', admin)).body
  const patch = (body: unknown) => call(world.url, 'PATCH', '/api/admin/settings', { ...admin, body })
  const reset = () => call(world.url, 'POST', '/api/admin/settings/reset', admin)
  const live = () => world.service.deps.settings.current()
  const stored = async () =>
    (await world.service.deps.db.maybeOne(sql`select version, overrides from settings`)) as {
      version: number
      overrides: Record<string, number>
    }
  const entries = async () =>
    (await world.service.deps.db.query(sql`
      select action, actor_id, changes from audit_log where action like 'settings.%' order by seq`)) as Record<
      string,
      unknown
    >[]
  const entriesOf = async (work: () => Promise<unknown>) => {
    const before = (await entries()).length
    await work()
    return (await entries()).slice(before)
  }

  test('answers every documented group and entry, secrets only as set or not', async () => {
    const body = await get()
    expect(body).toEqual({
      administration: { auditorRoleId: { editable: false, value: null } },
      cache: {
        permissionTtlMs: { editable: true, value: 60_000 },
        projectAccessTtlMs: { editable: false, value: 60_000 },
        projectAuthTtlMs: { editable: false, value: 60_000 },
        statsTtlMs: { editable: true, value: 1_234 },
      },
      chat: {
        callbackUrl: { editable: false, value: `${world.url}/api/auth/callback` },
        clientId: { editable: false, value: demo.clientId },
        guildId: { editable: false, value: demo.mainGuildId },
        clientSecret: { editable: false, isSet: true },
        token: { editable: false, isSet: true },
      },
      meta: body.meta,
      preferences: { memberActivityThresholdDays: { editable: true, value: 30 } },
      rateLimit: {
        globalLimit: { editable: false, value: 12_000 },
        globalTtlMs: { editable: false, value: 60_000 },
        maxWebhooksPerProject: { editable: true, value: 10 },
      },
      retention: {
        usageDays: { editable: true, value: 30 },
        authFailuresDays: { editable: true, value: 30 },
        auditDays: { editable: true, value: 36_500 },
        submissionsDays: { editable: true, value: 36_500 },
        sessionAddressesDays: { editable: true, value: 36_500 },
      },
      security: {
        sessionTtlSec: { editable: false, value: 2_592_000 },
        ssoTtlSec: { editable: false, value: 86_400 },
        webhookEncryptionKey: { editable: false, isSet: true },
      },
    })
  })

  test('where each value comes from is told for every setting, with who changed it last, and without secrets', async () => {
    const read = async () => (await call(world.url, 'GET', '/api/admin/settings/sources', admin)).body.sources
    const before = await read()
    const paths = Object.entries(settingTable).flatMap(([group, rows]) =>
      Object.keys(rows).map((key) => `${group}.${key}`),
    )
    expect(Object.keys(before).sort()).toEqual(paths.sort())
    expect(before['cache.statsTtlMs']).toMatchObject({
      source: 'environment',
      configured: 1_234,
      ignored: null,
    })
    expect(before['rateLimit.maxWebhooksPerProject']).toMatchObject({ source: 'default', configured: 10 })
    expect(before['chat.token']).toMatchObject({ source: 'environment', configured: null })
    expect(before['administration.auditorRoleId']).toMatchObject({ source: 'default' })

    await patch({ rateLimit: { maxWebhooksPerProject: 3 } })
    const changed = (await read())['rateLimit.maxWebhooksPerProject']
    expect(changed).toMatchObject({ source: 'stored', configured: 10, ignored: null, changedBy: 'mara.lind' })
    expect(Date.now() - Date.parse(changed.changedAt)).toBeLessThan(60_000)
    await reset()
    expect((await read())['rateLimit.maxWebhooksPerProject']).toMatchObject({ source: 'default' })
    await world.service.deps.db.execute(sql`
      update settings set version = version + 1, overrides = '{"cache.statsTtlMs": -5, "retention.usageDays": "x"}'`)
    const after = await read()
    expect(after['cache.statsTtlMs']).toMatchObject({ source: 'environment', configured: 1_234, ignored: -5 })
    expect(after['retention.usageDays']).toMatchObject({ source: 'default', ignored: null })
    expect(JSON.stringify(after)).not.toContain(demo.botToken)
    await reset()
  })

  test('no secret value at any depth, on no path', async () => {
    const all = [
      JSON.stringify(await get()),
      (await patch({ cache: { statsTtlMs: 5 } })).text,
      (await reset()).text,
    ]
    for (const secret of [
      demo.clientSecret,
      demo.botToken,
      '1'.repeat(64),
      '2'.repeat(64),
      'metrics-canary',
    ]) {
      for (const text of all) expect(text).not.toContain(secret)
    }
  })

  test('a change is answered, in force before the answer, stored and audited once', async () => {
    const written = await entriesOf(async () => {
      const reply = await patch({ cache: { permissionTtlMs: 0 }, rateLimit: { maxWebhooksPerProject: 3 } })
      expect(reply.status).toBe(200)
      expect(live()).toMatchObject({ permissionTtlMs: 0, maxWebhooksPerProject: 3, statsTtlMs: 1_234 })
      expect(reply.body.cache.permissionTtlMs).toEqual({ editable: true, value: 0 })
      expect(reply.body.meta.updatedBy).toBe(demo.users.mara)
      expect(Date.now() - Date.parse(reply.body.meta.updatedAt)).toBeLessThan(60_000)
      expect(await get()).toEqual(reply.body)
    })
    expect(written).toEqual([
      {
        action: 'settings.update',
        actor_id: demo.users.mara,
        changes: {
          'cache.permissionTtlMs': { before: 60_000, after: 0 },
          'rateLimit.maxWebhooksPerProject': { before: 10, after: 3 },
        },
      },
    ])
  })

  test('what is in force already is not written, nor are empty patches', async () => {
    await patch({ cache: { statsTtlMs: 10 } })
    const before = await stored()
    const written = await entriesOf(async () => {
      for (const body of [
        {},
        { cache: {} },
        { cache: { statsTtlMs: 10 } },
        { cache: { permissionTtlMs: 60_000 }, preferences: { memberActivityThresholdDays: 30 } },
      ]) {
        expect((await patch(body)).status).toBe(200)
      }
    })
    expect(written).toEqual([])
    expect(await stored()).toEqual(before)
  })

  test('only what differs is stored: the rest still follows the environment', async () => {
    await patch({ cache: { statsTtlMs: 10, permissionTtlMs: 60_000 } })
    expect((await stored()).overrides).toEqual({ 'cache.statsTtlMs': 10 })
  })

  test('reset clears every override with one entry, and the second time does nothing', async () => {
    await patch({
      cache: { permissionTtlMs: 0, statsTtlMs: 0 },
      preferences: { memberActivityThresholdDays: 1 },
    })
    const written = await entriesOf(async () => {
      const reply = await reset()
      expect(reply.status).toBe(200)
      expect(reply.body.cache.statsTtlMs.value).toBe(1_234)
      expect(live()).toMatchObject({ permissionTtlMs: 60_000, statsTtlMs: 1_234 })
      await reset()
    })
    expect(written).toEqual([
      {
        action: 'settings.reset',
        actor_id: demo.users.mara,
        changes: {
          'cache.permissionTtlMs': { before: 0, after: 60_000 },
          'cache.statsTtlMs': { before: 0, after: 1_234 },
          'preferences.memberActivityThresholdDays': { before: 1, after: 30 },
        },
      },
    ])
    expect((await stored()).overrides).toEqual({})
  })

  test.each([
    ['cache', 'permissionTtlMs', 0, 3_600_000],
    ['cache', 'statsTtlMs', 0, 86_400_000],
    ['preferences', 'memberActivityThresholdDays', 1, 365],
    ['rateLimit', 'maxWebhooksPerProject', 1, 100],
    ['retention', 'usageDays', 1, 36_500],
    ['retention', 'authFailuresDays', 1, 36_500],
    ['retention', 'auditDays', 90, 36_500],
    ['retention', 'submissionsDays', 1, 36_500],
    ['retention', 'sessionAddressesDays', 1, 36_500],
  ])('%s.%s is an integer within its bounds', async (group, key, min, max) => {
    for (const value of [min, max]) {
      expect((await patch({ [group]: { [key]: value } })).body[group][key].value).toBe(value)
    }
    const before = await stored()
    for (const value of [min - 1, max + 1, 1.5, '5', null, true, [1], {}]) {
      const reply = await patch({ [group]: { [key]: value } })
      expect(reply.status, String(value)).toBe(400)
      expect(reply.body.errors[0].path).toBe(`/${group}/${key}`)
    }
    expect(await stored()).toEqual(before)
  })

  test.each([
    [{ chat: { token: 'x' } }, ['/chat']],
    [{ security: { webhookEncryptionKey: 'x' } }, ['/security']],
    [{ security: { sessionTtlSec: 60 } }, ['/security']],
    [{ rateLimit: { globalLimit: 0 } }, ['/rateLimit/globalLimit']],
    [{ cache: { projectAuthTtlMs: 1 } }, ['/cache/projectAuthTtlMs']],
    [{ cache: { statsTtlMs: { value: 1 } } }, ['/cache/statsTtlMs']],
    [{ meta: { updatedBy: 'x' } }, ['/meta']],
    [{ statsTtlMs: 1 }, ['/statsTtlMs']],
    [
      { cache: { permissionTtlMs: 5, extra: 1 }, rateLimit: { maxWebhooksPerProject: 0 }, x: 1 },
      ['/x', '/cache/extra', '/rateLimit/maxWebhooksPerProject'],
    ],
    [{ cache: { permissionTtlMs: 5, statsTtlMs: -1 } }, ['/cache/statsTtlMs']],
    [{ cache: null }, ['/cache']],
  ])('refuses %j whole, naming every problem, and writes nothing', async (body, paths) => {
    const before = await stored()
    const written = await entriesOf(async () => {
      const reply = await patch(body)
      expect(reply.status).toBe(400)
      expect(reply.body.errors.map((one: { path: string }) => one.path).sort()).toEqual([...paths].sort())
    })
    expect(written).toEqual([])
    expect(await stored()).toEqual(before)
    expect(live().permissionTtlMs).toBe(60_000)
  })

  test('refuses what GET answered', async () => {
    expect((await patch(await get())).status).toBe(400)
  })

  test('no audit, no change', async () => {
    const failing = { record: () => Promise.reject(new Error('no audit today')) }
    const deps = { ...world.service.deps, audit: failing }
    await patch({ cache: { statsTtlMs: 77 } })
    const before = await stored()
    await expect(updateSettings(deps, {}, { cache: { statsTtlMs: 78 } })).rejects.toThrow('no audit today')
    await expect(resetSettings(deps, {})).rejects.toThrow('no audit today')
    expect(await stored()).toEqual(before)
    expect(live().statsTtlMs).toBe(77)
  })

  test('writers at once neither lose each other’s change nor an entry', async () => {
    const written = await entriesOf(() =>
      Promise.all([
        patch({ cache: { permissionTtlMs: 1 } }),
        patch({ cache: { statsTtlMs: 2 } }),
        patch({ preferences: { memberActivityThresholdDays: 3 } }),
        patch({ rateLimit: { maxWebhooksPerProject: 4 } }),
      ]),
    )
    expect(written).toHaveLength(4)
    const expected = {
      permissionTtlMs: 1,
      statsTtlMs: 2,
      memberActivityThresholdDays: 3,
      maxWebhooksPerProject: 4,
    }
    expect(live()).toMatchObject(expected)
  })

  test('a stored value outside of its bounds, or of no setting, is not in force', async () => {
    const { db, settings } = world.service.deps
    await db.execute(sql`
      update settings set version = version + 1,
        overrides = '{"cache.statsTtlMs": -5, "cache.permissionTtlMs": "x", "cache.gone": 1}'`)
    await settings.refresh()
    expect(live()).toMatchObject({ statsTtlMs: 1_234, permissionTtlMs: 60_000 })
    expect((await get()).cache.statsTtlMs.value).toBe(1_234)
  })
})

describe('secrets that are not set', () => {
  test.each([
    ['CHAT_BOT_TOKEN', ['chat', 'token']],
    ['CHAT_CLIENT_SECRET', ['chat', 'clientSecret']],
    ['INBOUND_WEBHOOK_ENCRYPTION_KEY', ['security', 'webhookEncryptionKey']],
    ['OUTBOUND_WEBHOOK_ENCRYPTION_KEY', ['security', 'webhookEncryptionKey']],
  ] as const)('an empty %s is answered as not set', async (variable, [group, key]) => {
    const names = Object.values(settingTable).flatMap((rows) =>
      Object.values<SettingRow>(rows).flatMap((row) => row.variables),
    )
    const set = Object.fromEntries(
      names.filter((name) => /SECRET|TOKEN|KEY/.test(name)).map((name) => [name, 'a'.repeat(64)]),
    )
    const { config } = loadConfig({ ...set, [variable]: '' })
    const settings = {
      refresh: async () => ({ version: 0, overrides: {}, updatedAt: null, updatedBy: null }),
    }
    const body = await readSettings({ config, settings } as unknown as Parameters<typeof readSettings>[0])
    const groups = body as unknown as Record<string, Record<string, unknown>>
    expect(groups[group]?.[key]).toEqual({ editable: false, isSet: false })
  })
})
