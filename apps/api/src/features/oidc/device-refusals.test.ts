import { demo } from '@rolecall/chat-sim'
import { beforeAll, describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { mainEngines } from '../../../test/databases.ts'
import { approveDevice, beginDevice, pollDevice, typeCode } from '../../../test/device.ts'
import { Browser, givenAdmin, givenProject, givenSession } from '../../../test/given.ts'
import { madeForTests } from '../../../test/made-for-tests.ts'
import { givenClient } from '../../../test/oidc.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'

describe.each(mainEngines)('a refused device sign-in, on %s', (engine) => {
  const world = worldForTests(engine)
  const project = madeForTests(() => givenClient(world, { isInternal: false, oidc: { deviceFlow: true } }))
  beforeAll(async () => {
    await givenSession(world, await givenProject(world), demo.users.tomas)
    const path = `/api/admin/members/${demo.users.tomas}/block`
    const blocked = await call(world.url, 'PUT', path, {
      token: await givenAdmin(world),
      body: { reason: 'Spam' },
    })
    expect(blocked.status).toBeLessThan(300)
  })

  test.each([
    ['an account that is not a member', { as: demo.users.emil }, 'join on Discord and sign in again'],
    [
      'a blocked member',
      { as: demo.users.tomas },
      'To ask about it, write to the moderators of the community.',
    ],
    ['a member who cancels at the platform', { cancel: true }, 'You canceled.'],
    [
      'a member who declines consent',
      { decision: 'deny' as const },
      'If you change your mind, start again on your device.',
    ],
  ])('%s sees the reason, and the device gets access_denied', async (_, who, sentence) => {
    const device = await beginDevice(world, project)
    const page = await approveDevice(world, device, who)
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('Your device was not connected')])
    expect(page.text).toContain(sentence)
    // The second poll represents a device that lost the first response.
    for (let i = 0; i < 2; i++)
      expect((await pollDevice(world, project, device)).body.error).toBe('access_denied')
  })

  test('a member who cancels on the page sees that, and the device gets access_denied', async () => {
    const device = await beginDevice(world, project)
    const page = await typeCode(new Browser(world.url), { user_code: device.user_code, abort: 'yes' })
    expect(page.text).toContain('You canceled.')
    expect((await pollDevice(world, project, device)).body.error).toBe('access_denied')
  })

  test('a device that requests no known scope is named as the cause', async () => {
    const device = await beginDevice(world, project, { scope: 'calendar' })
    const page = await approveDevice(world, device)
    expect(page.text).toContain('requested access that is not available to it')
  })

  test('a site that was switched off in the meantime is named as the cause', async () => {
    const other = await givenClient(world, { oidc: { deviceFlow: true } })
    const device = await beginDevice(world, other)
    const path = `/api/admin/projects/${other.id}`
    await call(world.url, 'PATCH', path, {
      token: await givenAdmin(world),
      body: { oidc: { enabled: false } },
    })
    const page = await typeCode(new Browser(world.url), { user_code: device.user_code })
    expect(page.text).toContain('is not registered here, or its sign-in is turned off.')
  })

  test('an outage of the platform is reported as an outage', async () => {
    const device = await beginDevice(world, project)
    world.sim.failNext('token', { status: 500 })
    const page = await approveDevice(world, device)
    expect(page.text).toContain('This does not work right now. Try again in a moment.')
    expect((await pollDevice(world, project, device)).body.error).toBe('temporarily_unavailable')
  })
})
