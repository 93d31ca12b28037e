import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { givenAdministration } from '../../../test/administration.ts'
import { call } from '../../../test/client.ts'
import { ciEngines } from '../../../test/databases.ts'
import { authorizePath } from '../../../test/given.ts'
import { madeForTests } from '../../../test/made-for-tests.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'
import { readRedirectUri, readRedirectUris } from './redirect-uris.ts'

const good = [
  'https://site.example/callback',
  'https://site.example:8443/callback?keep=1&also=a%20b',
  'https://xn--bcher-kva.example/',
  'http://localhost/callback',
  'http://localhost:5173/callback',
  'http://127.0.0.1:9999/cb',
  'http://[::1]:80/cb',
  'com.example.app:/oauth2redirect',
  'org.example.app://callback',
]

const bad = [
  'javascript:alert(1)',
  'data:text/html;hi',
  'file:///etc/passwd',
  'blob:https://a.example/1',
  'myapp://callback',
  'http://site.example/callback',
  'http://127.0.0.1.evil.example/',
  'http://localhost.evil.example/',
  'https://*.site.example/callback',
  'https://site.example/*',
  'https://site.example/callback#fragment',
  'https://site.example/#',
  'https://user:secret@site.example/callback',
  'https://user@site.example/callback',
  'https://@site.example/callback',
  '//site.example/callback',
  '/callback',
  'site.example/callback',
  'https://',
  'https://site.example/a b',
  'https://site.example\\@evil.example/',
  'https://site.example/\tcallback',
  'https://bücher.example/callback',
  'https://site.example/rückruf',
  'https://site.example/?name=ö',
  'https://xn--bcher-kva.example/ø',
  'https://b%C3%BCcher.example/',
  // The host of each of these becomes part of a page's policy, as written.
  'https://a.example;sandbox/callback',
  "https://a.example'unsafe-inline'/callback",
  'https://a.example"/callback',
  'https:site.example/callback',
  'https:///site.example/callback',
  'http:localhost/callback',
  'https://site.example/\u202ecallback',
  'com.example.app:/zurück',
  `https://site.example/${'a'.repeat(3_000)}`,
]

const goodUri = fc.oneof(
  fc.constantFrom(...good),
  fc
    .webUrl({ validSchemes: ['https'], withQueryParameters: true })
    .filter((url) => !/[,*]/.test(url) && url.length <= 2048),
)

describe('readRedirectUris', () => {
  test.each(good)('takes %s byte for byte', (uri) => {
    expect(readRedirectUris(uri)).toEqual({ uris: [uri], problems: [] })
  })

  test.each(bad)('refuses %s', (uri) => {
    expect(readRedirectUris(uri).problems).toHaveLength(1)
  })

  test('keeps any list of good ones in order, once each, without surrounding blanks', () => {
    const blank = fc.constantFrom('', ' ', '  ', '\t')
    const list = fc.array(fc.tuple(blank, goodUri, blank), { minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(list, (entries) => {
        const text = entries.map(([before, uri, after]) => before + uri + after).join(',')
        const { uris, problems } = readRedirectUris(text)
        expect(problems).toEqual([])
        expect(uris).toEqual([...new Set(entries.map(([, uri]) => uri))])
      }),
    )
  })

  test('names every bad entry of a list by its number, wherever the good ones stand', () => {
    const entry = fc.oneof(goodUri, fc.constantFrom(...bad.filter((uri) => !uri.includes(','))))
    fc.assert(
      fc.property(fc.uniqueArray(entry, { minLength: 1, maxLength: 20 }), (entries) => {
        const { problems } = readRedirectUris(entries.join(','))
        const wrong = entries.filter((uri) => bad.includes(uri))
        expect(problems).toHaveLength(wrong.length)
        for (const [i, uri] of wrong.entries())
          expect(problems[i]?.message).toMatch(`entry ${entries.indexOf(uri) + 1} `)
      }),
    )
  })

  test('never passes what a browser would read as another address, and never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        const { uris, problems } = readRedirectUris(text)
        if (problems.length > 0) return
        for (const uri of uris) {
          // An accepted address fits a Location header.
          expect(uri).toMatch(/^[\x21-\x7e]+$/)
          const url = new URL(uri)
          expect(/^(https?:|[a-z][a-z0-9+-]*\.[a-z0-9+.-]*:)$/.test(url.protocol)).toBe(true)
          expect([url.hash, url.username, url.password]).toEqual(['', '', ''])
        }
      }),
      { numRuns: 2_000 },
    )
  })

  test.each([
    [
      'crew.example/callback',
      /^entry 1 must be a complete address .* like https:\/\/crew\.example\/auth\/callback$/,
    ],
    ['http://crew.example/', /^entry 1 must begin with https:\/\/, except on this machine \(localhost, /],
    ['https://*.crew.example/', /^entry 1 must not contain a wildcard\. List every address/],
    [
      'myapp://callback',
      /^entry 1 must begin with https:\/\/, or for a native app with its own scheme .* dot/,
    ],
  ])('tells what to write instead of %s', (uri, message) => {
    expect(readRedirectUris(uri).problems.map((problem) => problem.message)).toEqual([
      expect.stringMatching(message),
    ])
  })

  test.each(['', ' ', ',', ',,', ' , '])('refuses the empty list %j', (text) => {
    expect(readRedirectUris(text).problems).toMatchObject([{ message: 'must contain at least one URI' }])
  })

  test('takes 20 and refuses 21, not counting repetitions', () => {
    const uris = Array.from({ length: 21 }, (_, i) => `https://site.example/${i}`)
    expect(readRedirectUris(uris.slice(0, 20).join(',')).problems).toEqual([])
    expect(readRedirectUris([...uris.slice(0, 20), uris[0]].join(',')).problems).toEqual([])
    expect(readRedirectUris(uris.join(',')).problems).toHaveLength(1)
  })
})

describe.each(ciEngines)('PATCH /api/admin/projects/{id}/redirect-uri on %s', (engine) => {
  const world = worldForTests(engine)
  const admin = madeForTests(() => givenAdministration(world))

  test('200 replaces the list, and authorize takes exactly these', async () => {
    const { project } = await admin.create()
    const path = `/${project.id}/redirect-uri`
    await admin.projects('PATCH', path, { redirectUri: 'https://old.example/' })
    const reply = await admin.projects('PATCH', path, { redirectUri: `${good[0]} , ${good[3]}` })
    expect([reply.status, reply.body.redirectUris]).toEqual([200, [good[0], good[3]]])
    const authorize = (redirect_uri: string) =>
      call(world.url, 'GET', authorizePath(project.id, { redirect_uri }))
    expect((await authorize(good[0] as string)).status).toBe(302)
    for (const other of [
      'https://old.example/',
      `${good[0]}/`,
      `${good[0]}?x=1`,
      'https://SITE.example/callback',
    ]) {
      expect((await authorize(other)).body.code, other).toBe('REDIRECT_URI_NOT_ALLOWED')
    }
  })

  test('400 names every bad entry and keeps the old list', async () => {
    const { project } = await admin.create()
    const path = `/${project.id}/redirect-uri`
    await admin.projects('PATCH', path, { redirectUri: good[0] })
    const reply = await admin.projects('PATCH', path, { redirectUri: `${bad[0]},${good[1]},${bad[5]}` })
    expect(reply.status).toBe(400)
    expect(reply.body.errors).toHaveLength(2)
    expect((await admin.projects('GET', `/${project.id}`)).body.redirectUris).toEqual([good[0]])
  })

  test.each([
    {},
    { redirectUri: null },
    { redirectUri: ['https://a.example/'] },
    { redirectUri: '' },
    { redirectUri: 'https://a.example/', more: 1 },
  ])('400 for %j', async (body) => {
    const { project } = await admin.create()
    expect((await admin.projects('PATCH', `/${project.id}/redirect-uri`, body)).status).toBe(400)
  })

  test('the list that is there already leaves no audit entry; another one leaves before and after', async () => {
    const { project } = await admin.create()
    for (const _ of [1, 2]) {
      await admin.projects('PATCH', `/${project.id}/redirect-uri`, { redirectUri: good[0] })
    }
    expect((await admin.audit(project.id)).slice(1)).toMatchObject([
      { action: 'project.update', changes: { redirectUris: { before: [], after: [good[0]] } } },
    ])
  })
})

test('a single URI is accepted if and only if a list with it is, except for commas', () => {
  fc.assert(
    fc.property(fc.oneof(goodUri, fc.constantFrom(...bad)), (uri) => {
      const isGood = readRedirectUris(uri).problems.length === 0
      expect(readRedirectUri(uri).length === 0).toBe(isGood && !uri.includes(','))
    }),
  )
})

describe.each(ciEngines)('POST and DELETE /api/admin/projects/{id}/redirect-uris on %s', (engine) => {
  const world = worldForTests(engine)
  const admin = madeForTests(() => givenAdministration(world))

  const pathOf = (id: string) => `/${id}/redirect-uris`
  const add = (id: string, uri: unknown) => admin.projects('POST', pathOf(id), { uri })
  const remove = (id: string, uri: string) =>
    admin.projects('DELETE', `${pathOf(id)}?uri=${encodeURIComponent(uri)}`)
  const listed = async (id: string): Promise<string[]> =>
    (await admin.projects('GET', `/${id}`)).body.redirectUris

  test('201 adds a URI, 200 means that it exists already, 204 removes it, and the others stay', async () => {
    const { project } = await admin.create()
    for (const uri of good) expect((await add(project.id, uri)).status, uri).toBe(201)
    const again = await add(project.id, good[2])
    expect([again.status, again.body.redirectUris]).toEqual([200, good])
    const authorize = async (redirect_uri: string) =>
      (await call(world.url, 'GET', authorizePath(project.id, { redirect_uri }))).status
    for (const uri of good) expect(await authorize(uri), uri).toBe(302)
    for (const [i, uri] of good.entries()) {
      expect([(await remove(project.id, uri)).status, await authorize(uri)]).toEqual([204, 403])
      expect(await listed(project.id)).toEqual(good.slice(i + 1))
    }
    const lists = (await admin.audit(project.id)).slice(1).map((entry) => entry.changes?.['redirectUris'])
    expect(lists).toHaveLength(2 * good.length)
    for (const [i, list] of lists.entries()) expect(list?.before).toEqual(lists[i - 1]?.after ?? [])
  })

  test.each([...bad, 'https://site.example/a,b', '', 5, null, ['https://a.example/']])(
    '400 for %j, and nothing is stored',
    async (uri) => {
      const { project } = await admin.create()
      const reply = await add(project.id, uri)
      expect([reply.status, reply.body.code]).toEqual([400, 'VALIDATION_FAILED'])
      expect(reply.body.errors[0].path).toBe('/uri')
      expect(await listed(project.id)).toEqual([])
    },
  )

  test('400 from the twenty-first URI on, even if forty are added at once', async () => {
    const { project } = await admin.create()
    const replies = await Promise.all(
      Array.from({ length: 40 }, (_, i) => add(project.id, `https://site.example/${i}`)),
    )
    const statuses = replies.map(({ status }) => status).sort()
    expect(statuses).toEqual([...Array(20).fill(201), ...Array(20).fill(400)])
    expect(await listed(project.id)).toHaveLength(20)
  })

  test('404 for a URI that is not on the list and for an unknown project, 400 without a URI', async () => {
    const { project } = await admin.create()
    await add(project.id, good[0])
    const missing = await remove(project.id, `${good[0]}/`)
    expect([missing.status, missing.body.code]).toEqual([404, 'REDIRECT_URI_NOT_FOUND'])
    const other = '01900000-0000-7000-8000-000000000000'
    for (const reply of [await add(other, good[0]), await remove(other, good[0] as string)])
      expect([reply.status, reply.body.code]).toEqual([404, 'PROJECT_NOT_FOUND'])
    expect((await admin.projects('DELETE', pathOf(project.id))).status).toBe(400)
    expect(await listed(project.id)).toEqual([good[0]])
  })
})
