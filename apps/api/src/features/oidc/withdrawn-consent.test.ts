import { describe, expect, test, vi } from 'vitest'
import { engines } from '../../../test/databases.ts'
import { Browser } from '../../../test/given.ts'
import { authPath, givenClient, postForm, redeem, walk } from '../../../test/oidc.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'

describe.each(engines)('a consent that is withdrawn during a sign-in, on %s', (engine) => {
  const world = worldForTests(engine, { RATE_LIMIT_GLOBAL: '0' })

  test('covers no code of this sign-in', async () => {
    const client = await givenClient(world, { isInternal: false })
    const browser = new Browser(world.url)
    await walk(world, authPath(client), { browser })
    const silently = () => walk(world, authPath(client, { prompt: 'none' }), { browser })
    expect((await silently()).searchParams.get('code')).toMatch(/./)

    // The consent was read, and Discord is asked for the membership.
    const { chat } = world.service.deps
    const { member } = chat
    const statuses: number[] = []
    vi.spyOn(chat, 'member').mockImplementationOnce(async (...terms) => {
      const form = { cookie: browser.cookie, origin: world.url, accept: 'text/html' }
      statuses.push((await postForm(world.url, `/account/consents/${client.id}/withdraw`, '', form)).status)
      return member(...terms)
    })
    const end = await silently()
    expect(statuses).toEqual([303])
    const code = end.searchParams.get('code')
    const redeemed = code === null ? undefined : (await redeem(world, client, code)).status
    expect([end.searchParams.get('error'), redeemed]).toEqual(['access_denied', undefined])
    expect((await silently()).searchParams.get('error')).toBe('consent_required')
  })
})
