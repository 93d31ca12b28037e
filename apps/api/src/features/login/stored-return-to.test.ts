import { demo } from '@rolecall/chat-sim'
import { describe, expect, test } from 'vitest'
import { engines } from '../../../test/databases.ts'
import { atPlatform, Browser, countRows, openLogin } from '../../../test/given.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'
import { sql } from '../../platform/db/sql.ts'

/** Rows outlive the version that wrote them, so stored values are checked like incoming ones. */
describe.each(engines)('an admin login whose stored return_to no version may follow, on %s', (engine) => {
  const world = worldForTests(engine)

  const planted = [
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example',
    '/api/auth/sso/authorize?client_id=x&prompt=none',
    '/console/../api/auth/sso/authorize',
    '/console/%2e%2e/api/auth/sso/authorize',
    '/console/#code=rcc_x&',
    'javascript:alert(1)',
    '',
  ]

  test.each(planted)(
    '%j: 400, to nowhere, without a code, whether it was completed or cancelled',
    async (returnTo) => {
      for (const cancel of [false, true]) {
        const browser = new Browser(world.url)
        const back = await atPlatform(await openLogin(browser, '/api/auth/admin/login?return_to=/'), {
          as: demo.users.mara,
          cancel,
        })
        await world.service.deps.db.execute(sql`
        update auth_requests set redirect_uri = ${returnTo} where used_at is null`)
        const codes = await countRows(world, 'authorization_codes')
        const reply = await browser.get(back, { accept: 'text/html' })
        expect([reply.status, reply.headers.get('location')]).toEqual([400, null])
        expect(reply.text).not.toMatch(/href=|evil|rcc_/)
        expect(await countRows(world, 'authorization_codes')).toBe(codes)
        // The request is used up as well, so a second try fails.
        expect((await browser.get(back)).status).toBe(400)
      }
    },
  )
})
