import { readFileSync } from 'node:fs'
import { demo } from '@rolecall/chat-sim'
import { describe, expect, test } from 'vitest'
import { projectForTests, worldForTests } from '../../../../apps/api/test/world-for-tests.ts'
import { createRolecall } from '../fetch.ts'

interface GuardCases {
  readonly appUrl: string
  readonly requests: readonly {
    readonly method: string
    readonly headers: Readonly<Record<string, string>>
    readonly isAccepted: boolean
  }[]
  readonly appUrls: readonly { readonly appUrl: string; readonly isAccepted: boolean }[]
}

/** The client in Python passes the same table (`clients/python/tests/site_cases.py`). */
const cases: GuardCases = JSON.parse(
  readFileSync(new URL('../../../../clients/guard-cases.json', import.meta.url), 'utf8'),
)

const world = worldForTests('pglite', { PERMISSION_TTL_MS: '3600000' })
const project = projectForTests(world, { redirectUris: [`${cases.appUrl}/auth/callback`] })

const createSite = (appUrl: string) => {
  Reflect.deleteProperty(globalThis, Symbol.for('rolecall 1'))
  return createRolecall({
    ...{ url: world.url, apiKey: project.key, clientId: project.id, serverId: demo.mainGuildId },
    ...{ appUrl, secret: 'the secret of this site, long enough', onError: () => {} },
  })
}

describe('the guard', () => {
  test('accepts and refuses every row of the table that all clients share', async () => {
    const site = createSite(cases.appUrl)
    const cookie = await signedInCookie(site)
    expect(cases.requests.length).toBeGreaterThan(10)
    for (const { method, headers, isAccepted } of cases.requests) {
      const request = new Request(`${cases.appUrl}/member`, { method, headers: { ...headers, cookie } })
      const reply = await site.handle(
        request,
        async (_, visitor) => new Response((await visitor.requireMember()).member.id),
      )
      expect(reply.status, JSON.stringify({ method, headers })).toBe(isAccepted ? 200 : 403)
      if (!isAccepted) expect(await reply.json()).toMatchObject({ code: 'CROSS_SITE_REQUEST' })
    }
  })

  test.each(cases.appUrls)('takes the address of an app: $appUrl, $isAccepted', ({ appUrl, isAccepted }) => {
    if (isAccepted) expect(() => createSite(appUrl)).not.toThrow()
    else expect(() => createSite(appUrl)).toThrow('ROLECALL_APP_URL')
  })
})

/** Signs Ada in through the site's own pages. */
async function signedInCookie(site: ReturnType<typeof createRolecall>): Promise<string> {
  const jar = new Map<string, string>()
  const open = async (url: string) => {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { cookie, accept: 'text/html', 'sec-fetch-mode': 'navigate' }
    const reply = await site.handle(new Request(url, { headers }), async () => new Response('home'))
    for (const line of reply.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      jar.set(name, value)
    }
    return reply.headers.get('location') ?? ''
  }
  const authorize = await fetch(await open(`${cases.appUrl}/auth/login`), { redirect: 'manual' })
  const held = authorize.headers.getSetCookie().map((line) => line.split(';')[0])
  const back = await world.sim.login(authorize.headers.get('location') ?? '', { as: demo.users.ada })
  const done = await fetch(back, { redirect: 'manual', headers: { cookie: held.join('; ') } })
  await open(done.headers.get('location') ?? '')
  return [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
}
