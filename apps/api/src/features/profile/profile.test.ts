import { demo } from '@rolecall/chat-sim'
import { fieldsOf } from '@rolecall/contract'
import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { mainEngines } from '../../../test/databases.ts'
import { givenProject, givenSession, validate } from '../../../test/given.ts'
import { adminForTests, worldForTests } from '../../../test/world-for-tests.ts'
import { sql } from '../../platform/db/sql.ts'
import { readPreferredName } from './preferred-name.ts'
import { updatePreferredName } from './profile.ts'

/** Names with a readable title before each: some names are long, and some are invisible. */
const titled = <Row extends readonly [unknown, unknown]>(rows: Row[]) =>
  rows.map(
    ([value, expected], i) => [`${i}: ${JSON.stringify(value).slice(0, 20)}`, value, expected] as const,
  )

describe.each(mainEngines)('the admin profile on %s', (engine) => {
  const world = worldForTests(engine)
  const admin = adminForTests(world)
  beforeEach(async () => {
    await world.service.deps.db.execute(sql`update members set preferred_name = null`)
  })

  const get = () => call(world.url, 'GET', '/api/admin/profile', admin)
  const patch = (body: unknown) => call(world.url, 'PATCH', '/api/admin/profile', { ...admin, body })
  const entries = async () =>
    (await world.service.deps.db.query(sql`
      select action, actor_id, target_id, changes from audit_log where action = 'profile.update' order by seq`)) as Record<
      string,
      unknown
    >[]
  const entriesOf = async (work: () => Promise<unknown>) => {
    const before = (await entries()).length
    await work()
    return (await entries()).slice(before)
  }

  test('says who asks', async () => {
    const { body } = await get()
    expect(Object.keys(body).sort()).toEqual(
      [...fieldsOf('profile'), 'id', 'isAuditor', 'isSystemAdmin', 'ownedProjects'].sort(),
    )
    expect(body).toMatchObject({ id: demo.users.mara, isSystemAdmin: true, preferredName: null })
    expect(body).toMatchObject({ isAuditor: false, ownedProjects: [] })
    expect(body.email).toContain('@')
  })

  test('a set name is answered, stored, audited once, and in the next validate answer', async () => {
    const project = await givenProject(world)
    const session = await givenSession(world, project, demo.users.mara)
    const written = await entriesOf(async () => {
      const reply = await patch({ preferredName: 'Captain M.' })
      expect(reply.status).toBe(200)
      expect(reply.body.preferredName).toBe('Captain M.')
    })
    expect(written).toEqual([
      {
        action: 'profile.update',
        actor_id: demo.users.mara,
        target_id: demo.users.mara,
        changes: { preferredName: { before: null, after: 'Captain M.' } },
      },
    ])
    expect((await get()).body.preferredName).toBe('Captain M.')
    expect((await validate(world, project, session.token)).body.member.preferredName).toBe('Captain M.')
    await patch({ preferredName: null })
    expect((await validate(world, project, session.token)).body.member.preferredName).toBeNull()
  })

  test('without the key it stays, null clears it, and what changes nothing writes nothing', async () => {
    await patch({ preferredName: 'Ma\u0301ra' })
    const written = await entriesOf(async () => {
      expect((await patch({})).body.preferredName).toBe('Mára')
      await patch({ preferredName: 'Mára' })
      await patch({ preferredName: 'Ma\u0301ra' })
    })
    expect(written).toEqual([])
    const cleared = await entriesOf(async () => {
      expect((await patch({ preferredName: null })).body.preferredName).toBeNull()
      await patch({ preferredName: null })
    })
    expect(cleared).toHaveLength(1)
  })

  test.each(
    titled([
      ['x', 'x'],
      ['x'.repeat(255), 'x'.repeat(255)],
      ['🦊'.repeat(255), '🦊'.repeat(255)],
      ['e\u0301'.repeat(255), 'é'.repeat(255)],
      ['مرحبا\u200f (host)', 'مرحبا\u200f (host)'],
      ['👩\u200d🚒', '👩\u200d🚒'],
      ['<b>&"\'\\', '<b>&"\'\\'],
    ]),
  )('takes %s', async (_title, name, stored) => {
    const reply = await patch({ preferredName: name })
    expect(reply.status, reply.text).toBe(200)
    expect(reply.body.preferredName).toBe(stored)
    expect((await get()).body.preferredName).toBe(stored)
  })

  test.each(
    titled([
      ['', ['MIN_LENGTH']],
      ['x'.repeat(256), ['TOO_LONG']],
      ['🦊'.repeat(256), ['TOO_LONG']],
      ['x'.repeat(2000), ['MAX_LENGTH']],
      ['   ', ['BLANK']],
      ['\u00a0\u3000', ['BLANK']],
      ['\u200b\u2060\u3164', ['BLANK']],
      ['a\tb', ['CONTROL']],
      ['a\u0085b', ['CONTROL']],
      ['a\u2028b', ['CONTROL']],
      ['a\u202eb', ['BIDI_OVERRIDE']],
      ['a\u2066b', ['BIDI_OVERRIDE']],
      [`z${'\u0353'.repeat(9)}`, ['STACKED_MARKS']],
      ['\u202e\n ', ['BLANK', 'CONTROL', 'BIDI_OVERRIDE']],
      ['a\0b', ['NUL']],
      [5, ['TYPE']],
      [['x'], ['TYPE']],
      [{ toString: 'x' }, ['TYPE']],
      [true, ['TYPE']],
    ]),
  )('refuses %s, naming every problem', async (_title, preferredName, codes) => {
    const written = await entriesOf(async () => {
      const reply = await patch({ preferredName })
      expect(reply.status).toBe(400)
      expect(reply.body.errors.map(({ code }: { code: string }) => code)).toEqual(codes)
      for (const { path } of reply.body.errors) expect(path).toBe('/preferredName')
    })
    expect(written).toEqual([])
    expect((await get()).body.preferredName).toBeNull()
  })

  test.each(['id', 'username', 'isSystemAdmin', 'displayName', 'email', 'createdAt', '__proto__'])(
    'refuses to write %s',
    async (key) => {
      const raw = `{"preferredName":"x","${key}":"y"}`
      const reply = await call(world.url, 'PATCH', '/api/admin/profile', { ...admin, raw })
      expect(reply.status).toBe(400)
      expect(reply.body.errors).toEqual([
        { path: `/${key}`, message: 'is not a known key', code: 'UNKNOWN_KEY' },
      ])
      expect((await get()).body.preferredName).toBeNull()
    },
  )

  test('no audit, no change', async () => {
    const { deps } = world.service
    const failing = { record: () => Promise.reject(new Error('no audit today')) }
    const caller = { memberId: demo.users.mara, username: 'mara' } as Parameters<
      typeof updatePreferredName
    >[2]
    await expect(updatePreferredName({ ...deps, audit: failing }, {}, caller, 'Unaudited')).rejects.toThrow(
      'no audit today',
    )
    expect((await get()).body.preferredName).toBeNull()
  })

  test('of writers at once each leaves one entry, and together they tell one story', async () => {
    const names = Array.from({ length: 10 }, (_, i) => `Name ${i}`)
    const written = await entriesOf(() => Promise.all(names.map((preferredName) => patch({ preferredName }))))
    const changes = written.map(
      ({ changes: c }) => (c as { preferredName: { before: unknown; after: unknown } }).preferredName,
    )
    expect(changes).toHaveLength(10)
    changes.reduce<unknown>((before, change) => {
      expect(change.before).toBe(before)
      return change.after
    }, null)
  })
})

test('what passes is in NFC, 1 to 255 code points long, and passes again unchanged', () => {
  const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 300 })
  fc.assert(
    fc.property(text, (input) => {
      const { name, problems } = readPreferredName(input)
      if (problems.length > 0) return
      expect(name).toBe(name.normalize('NFC'))
      expect([...name].length).toBeLessThanOrEqual(255)
      expect(readPreferredName(name)).toEqual({ name, problems: [] })
    }),
    { numRuns: 2_000 },
  )
})
