import { describe, expect, test } from 'vitest'
import { givenAdministration } from '../../../test/administration.ts'
import { atOnce, tally } from '../../../test/at-once.ts'
import { call } from '../../../test/client.ts'
import { mainEngines } from '../../../test/databases.ts'
import { givenProject } from '../../../test/given.ts'
import { madeForTests } from '../../../test/made-for-tests.ts'
import { adminForTests, worldForTests } from '../../../test/world-for-tests.ts'
import { sql } from '../../platform/db/sql.ts'

/** Each is invisible, or only changes the appearance of the text around it. */
const refused = {
  'a right-to-left override': 'Paw\u202Elard',
  'a left-to-right isolate': 'Paw\u2066lard',
  'an Arabic letter mark': 'Paw\u061Clard',
  'a zero-width space': 'Paw\u200Blard',
  'a zero-width joiner': 'Paw\u200Dlard',
  'a zero-width no-break space': '\uFEFFPawlard',
  'a soft hyphen': 'Paw\u00ADlard',
  'a word joiner at its end': 'Pawlard\u2060',
  'a combining grapheme joiner': 'Paw\u034Flard',
  'a Hangul filler': 'Paw\u3164lard',
  'a variation selector': 'Paw\uFE00lard',
  'a tag character': 'Paw\u{E0061}lard',
  'an unassigned code point': 'Paw\u0378lard',
  'a private one': 'Paw\uE000lard',
  'a line separator': 'Paw\u2028lard',
  'a bell': 'Paw\u0007lard',
  'nothing but a mark': '\u0301',
}

/** Pairs that look the same. */
const twins: readonly [string, string, string][] = [
  ['composed and decomposed letters', 'Caf\u00E9', 'Cafe\u0301'],
  ['a Hangul syllable and its letters', '\uD55C\uAD6D', '\u1112\u1161\u11AB\u1100\u116E\u11A8'],
  ['full-width letters', 'Pawlard', '\uFF30\uFF41\uFF57\uFF4C\uFF41\uFF52\uFF44'],
  ['a ligature', 'office hours', 'o\uFB03ce hours'],
  ['a capital sharp s', 'GRO\u1E9E', 'Gro\u00DF'],
  ['sharp s', 'Stra\u00DFe', 'STRASSE'],
  ['a final sigma', '\u039F\u0394\u039F\u03A3', '\u03BF\u03B4\u03BF\u03C2'],
  ['the sign of the kelvin', 'Kelvin', '\u212Aelvin'],
  ['a no-break space', 'Book club', 'Book\u00A0club'],
  ['two spaces', 'Chess club', 'Chess  club'],
  ['the style of an emoji', 'Hearts \u2764', 'Hearts \u2764\uFE0F'],
]

describe.each(mainEngines)('names of projects and webhooks on %s', (engine) => {
  const world = worldForTests(engine, { PERMISSION_TTL_MS: '3600000' })
  const admin = madeForTests(() => givenAdministration(world))
  const administrator = adminForTests(world)

  test.each(Object.entries(refused))('refuse %s', async (_, name) => {
    const project = await givenProject(world)
    const hooks = `/api/admin/projects/${project.id}/inbound-webhooks`
    const replies = [
      await admin.projects('POST', '', { name }),
      await admin.projects('PATCH', `/${project.id}`, { name }),
      await call(world.url, 'POST', hooks, { ...administrator, body: { name, schema: {} } }),
    ]
    for (const { status, body } of replies) {
      expect([status, body.errors]).toMatchObject([400, [{ path: '/name', code: 'FORMAT' }]])
    }
  })

  test.each(twins)('take %s for the same name', async (_, name, twin) => {
    const { project } = await admin.create({ name })
    const reply = await admin.projects('POST', '', { name: twin })
    expect([reply.status, reply.body.code]).toEqual([409, 'PROJECT_NAME_TAKEN'])
    const other = await givenProject(world)
    expect((await admin.projects('PATCH', `/${other.id}`, { name: twin })).status).toBe(409)
    // Its own name in another form does not collide with itself.
    expect((await admin.projects('PATCH', `/${project.id}`, { name: twin })).status).toBe(200)
    await admin.projects('DELETE', `/${project.id}`)
    expect((await admin.projects('POST', '', { name: twin })).status).toBe(201)
  })

  test('are kept in NFC, and found however they are typed', async () => {
    const { project } = await admin.create({ name: 'Zoe\u0308s' })
    expect(project.name).toBe('Zo\u00EBs')
    expect((await admin.audit(project.id))[0]?.summary).toContain('Zo\u00EBs')
    const found = await admin.projects('GET', `?name=${encodeURIComponent('zoe\u0308')}`)
    expect(found.body.total).toBe(1)
    const matrix = await admin.projects(
      'GET',
      `/access/matrix?projectName=${encodeURIComponent('zoe\u0308')}`,
    )
    expect(matrix.body.total).toBe(1)
    const hooks = `/api/admin/projects/${project.id}/inbound-webhooks`
    const made = await call(world.url, 'POST', hooks, {
      ...administrator,
      body: { name: 'Ame\u0301', schema: {} },
    })
    expect(made.body.name).toBe('Am\u00E9')
    const changed = await call(world.url, 'PATCH', `${hooks}/${made.body.id}`, {
      ...administrator,
      body: { name: 'Ne\u0301e' },
    })
    expect(changed.body.name).toBe('N\u00E9e')
  })

  test.each(['日本語の会', 'क्षेत्र', 'עברית', 'Ⅳ club', '❤️ club', "O'Neil & Söhne", 'مجموعة'])(
    'take %s, which is plain text',
    async (name) => {
      expect((await admin.create({ name })).project.name).toBe(name)
    },
  )

  test('of twins that are created at once one gets the name', async () => {
    const names = ['R\u00E9sum\u00E9', 'Re\u0301sume\u0301', 'R\u00C9SUM\u00C9', 'RE\u0301SUME\u0301']
    const replies = await atOnce(8, (i) => admin.projects('POST', '', { name: names[i % 4] }))
    expect(tally(replies.map(({ status }) => status))).toEqual({ 201: 1, 409: 7 })
  })

  test('have a key of the database: no statement writes another one, and no rename leaves it behind', async () => {
    const { db } = world.service.deps
    const { project } = await admin.create({ name: 'Night watch' })
    await expect(
      db.execute(sql`update projects set name_key = 'day watch' where id = ${project.id}`),
    ).rejects.toMatchObject({ code: '428C9' })
    await db.execute(sql`update projects set name = 'Day watch' where id = ${project.id}`)
    expect((await admin.projects('POST', '', { name: 'Night\u00A0watch' })).status).toBe(201)
    expect((await admin.projects('POST', '', { name: 'Day\u00A0watch' })).status).toBe(409)
  })

  test('fold every letter that Unicode gives a case, and nothing else', async () => {
    const { db } = world.service.deps
    const letters = Array.from({ length: 0x110000 }, (_, code) => code)
      .filter((code) => code < 0xd800 || code > 0xdfff)
      .map((code) => String.fromCodePoint(code))
      .filter((letter) => /[\p{L}\p{N}]/u.test(letter))
    const rows: { key: string; nfkc: string }[] = []
    for (let from = 0; from < letters.length; from += 5_000) {
      rows.push(
        ...(await db.query<{ key: string; nfkc: string }>(
          sql`select project_name_key(letter) as key, normalize(letter, nfkc) as nfkc
            from unnest(${letters.slice(from, from + 5_000)}::text[]) with ordinality as l (letter, place) order by place`,
        )),
      )
    }
    const folded = (letter: string) =>
      letter.normalize('NFKC').toUpperCase().toLowerCase().replaceAll('\u00DF', 'ss').normalize('NFKC').trim()
    const wrong = letters.filter((letter, i) => {
      // Letters that are newer than the database's Unicode version compose there after an upgrade.
      const isKnown = rows[i]?.nfkc === letter.normalize('NFKC')
      return isKnown && rows[i]?.key !== folded(letter)
    })
    expect(wrong).toEqual([])
    expect(letters.filter((letter, i) => rows[i]?.key !== letter).length).toBeGreaterThan(1_000)
  })
})
