import { demo } from '@rolecall/chat-sim'
import { describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { later } from '../../../test/clock.ts'
import { ciEngines } from '../../../test/databases.ts'
import { approveDevice, beginDevice, pathOf, pollDevice, typeCode } from '../../../test/device.ts'
import { Browser } from '../../../test/given.ts'
import { madeForTests } from '../../../test/made-for-tests.ts'
import { basic, givenClient, postForm, userinfo } from '../../../test/oidc.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'

describe.each(ciEngines)('the device flow on %s', (engine) => {
  const world = worldForTests(engine)
  const project = madeForTests(() => givenClient(world, { oidc: { deviceFlow: true } }))

  test('a device gets its tokens once a member has typed its code and signed in', async () => {
    const device = await beginDevice(world, project)
    expect(device).toMatchObject({ verification_uri: `${world.url}/device`, interval: 5 })
    expect((await pollDevice(world, project, device)).body.error).toBe('authorization_pending')
    const browser = new Browser(world.url)
    const asked = await typeCode(browser, { user_code: device.user_code })
    expect(asked.text).toContain('Connect this device to')
    const end = await approveDevice(world, device, { browser })
    expect(end.text).toContain('Your device is connected')
    const tokens = await pollDevice(world, project, device)
    expect(tokens.status).toBe(200)
    expect((await userinfo(world, tokens.body.access_token)).body.sub).toBe(demo.users.ada)
    expect(tokens.body.refresh_token).toMatch(/^rcf_/)
  })

  test('a device that requests no scope gets openid', async () => {
    for (const form of [{}, { scope: '' }]) {
      const device = await beginDevice(world, project, form)
      expect((await approveDevice(world, device)).text).toContain('Your device is connected')
      const tokens = await pollDevice(world, project, device)
      expect(tokens.body).toMatchObject({ scope: 'openid', id_token: expect.any(String) })
      expect((await userinfo(world, tokens.body.access_token)).body).toEqual({ sub: demo.users.ada })
    }
  })

  test('a repeated scope parameter is an error', async () => {
    for (const form of ['scope=&scope=', 'scope=openid&scope=roles'])
      expect(
        (await postForm(world.url, '/oidc/device_authorization', form, basic(project))).body,
      ).toMatchObject({ error: 'invalid_request' })
  })

  test('a code in the link is only filled in, and a wrong one is asked for again', async () => {
    const { verification_uri_complete: link, user_code: userCode } = await beginDevice(world, project)
    const page = await call(world.url, 'GET', pathOf(link, world.url))
    expect(page.status).toBe(200)
    expect(page.text).toContain(`value="${userCode}"`)
    expect(page.text).not.toContain('<script')
    const wrong = await typeCode(new Browser(world.url), { user_code: 'BBBB-BBBB' })
    expect(wrong.status).toBe(200)
    expect(wrong.text).toContain('No device is waiting with this code')
  })

  test('a code that is too old says so to the device', async () => {
    const device = await beginDevice(world, project)
    await later(world.service, 601, async () => {
      expect((await pollDevice(world, project, device)).body.error).toBe('expired_token')
    })
  })

  test('another project, or one that did not ask for it, gets nothing', async () => {
    const device = await beginDevice(world, project)
    const other = await givenClient(world, { oidc: { deviceFlow: true } })
    const foreign = await pollDevice(world, other, device)
    expect([foreign.status, foreign.body.error]).toEqual([400, 'invalid_grant'])
    const plain = await givenClient(world)
    const refused = await postForm(world.url, '/oidc/device_authorization', {}, basic(plain))
    expect(refused.status).toBe(400)
  })

  test('codes cannot be guessed by trying', async () => {
    const browser = new Browser(world.url)
    const guess = async (i: number) => (await typeCode(browser, { user_code: `BBBB-BBB${i}` })).status
    // A new window may begin in the middle, which allows as many again.
    let tries = 0
    while (tries < 2 * 30 && (await guess(tries)) !== 429) tries += 1
    expect(tries).toBeLessThan(2 * 30)
  })
})
