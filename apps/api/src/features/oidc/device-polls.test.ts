import { beforeAll, describe, expect, test } from 'vitest'
import { later } from '../../../test/clock.ts'
import { ciEngines } from '../../../test/databases.ts'
import { approveDevice, beginDevice, deviceGrant, pollDevice } from '../../../test/device.ts'
import type { GivenProject } from '../../../test/given.ts'
import { basic, claimsOf, givenClient, postForm, refresh, userinfo } from '../../../test/oidc.ts'
import type { Service } from '../../../test/service.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'

describe.each(ciEngines)('polls of a device on %s', (engine) => {
  let instances: readonly Service[]
  let project: GivenProject
  const world = worldForTests(engine)
  beforeAll(async () => {
    instances = engine === 'postgres' ? [world.service, await world.another()] : [world.service]
    project = await givenClient(world, { oidc: { deviceFlow: true } })
  })

  /** Sends `count` simultaneous polls, distributed over the instances. */
  const pollAtOnce = (device: { device_code: string }, count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, i) => {
        const instance = instances[i % instances.length] ?? world
        return pollDevice(instance, project, device)
      }),
    )
  const approved = async (form?: Record<string, string>) => {
    const device = await beginDevice(world, project, form)
    await approveDevice(world, device)
    return device
  }
  const statusEverywhere = (accessToken: string) =>
    Promise.all(instances.map(async (one) => (await userinfo(one, accessToken)).status))
  const pollNext = (device: { device_code: string }) => pollDevice(instances.at(-1) ?? world, project, device)

  test.each([2, 10])('%i simultaneous polls get valid tokens of one session', async (count) => {
    const replies = await pollAtOnce(await approved(), count)
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200))
    const tokens = replies.map(({ body }) => body)
    expect(new Set(tokens.map(({ id_token: token }) => claimsOf(token).sid)).size).toBe(1)
    expect(new Set(tokens.map(({ refresh_token: token }) => token)).size).toBe(1)
    for (const { access_token: token } of tokens)
      expect(await statusEverywhere(token)).toEqual(instances.map(() => 200))
    // Every response contains a refresh token that works.
    const fresh = await refresh(world, project, tokens.at(-1).refresh_token)
    expect(fresh.status).toBe(200)
    expect(claimsOf(fresh.body.id_token).sid).toBe(claimsOf(tokens[0].id_token).sid)
  })

  test('a device that lost the response gets it again, even after its code has expired', async () => {
    const device = await approved()
    await later(world.service, 595, async () => {
      const abort = new AbortController()
      const lost = fetch(`${world.url}/oidc/token`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...basic(project) },
        body: new URLSearchParams({ grant_type: deviceGrant, device_code: device.device_code }),
        signal: abort.signal,
      })
      await expect.poll(() => isRedeemed(), { timeout: 20_000 }).toBe(true)
      abort.abort()
      await lost.catch(() => {})
      await later(world.service, 615, async () => {
        const again = await pollNext(device)
        expect(again.status).toBe(200)
        expect(await statusEverywhere(again.body.access_token)).toEqual(instances.map(() => 200))
        expect((await refresh(world, project, again.body.refresh_token)).status).toBe(200)
      })
    })
  })
  const isRedeemed = async () =>
    (await world.service.deps.db.maybeOne({
      text: `select from oidc_records where model = 'DeviceCode' and consumed_at is not null
        and consumed_at > clock_now() - interval '1 minute'`,
      values: [],
    })) !== undefined

  test('a code that is reused after the grace period ends the session, with an audit entry', async () => {
    const device = await approved()
    const { body } = await pollDevice(world, project, device)
    await later(world.service, 31, async () => {
      const late = await pollNext(device)
      expect([late.status, late.body.error]).toEqual([400, 'invalid_grant'])
      expect(await statusEverywhere(body.access_token)).toEqual(instances.map(() => 401))
      expect((await refresh(world, project, body.refresh_token)).body.error).toBe('invalid_grant')
    })
    const { db } = world.service.deps
    const last = await db.maybeOne({
      text: "select action from audit_log where severity = 'warning' order by seq desc limit 1",
      values: [],
    })
    expect(last).toEqual({ action: 'code.reuse' })
  })

  test('a code whose refresh token was used is rejected in the grace period, and the session continues', async () => {
    const device = await approved()
    const { body } = await pollDevice(world, project, device)
    const fresh = await refresh(world, project, body.refresh_token)
    const again = await pollNext(device)
    expect([again.status, again.body.error]).toEqual([400, 'invalid_grant'])
    expect(await statusEverywhere(fresh.body.access_token)).toEqual(instances.map(() => 200))
    expect((await refresh(world, project, fresh.body.refresh_token)).status).toBe(200)
  })

  test('a redeemed code is rejected for another client, and the session continues', async () => {
    const device = await approved()
    const { body } = await pollDevice(world, project, device)
    const other = await givenClient(world, { oidc: { deviceFlow: true } })
    for (const seconds of [0, 31])
      await later(world.service, seconds, async () => {
        const foreign = await pollDevice(world, other, device)
        expect([foreign.status, foreign.body.error]).toEqual([400, 'invalid_grant'])
        expect((await userinfo(world, body.access_token)).status).toBe(200)
      })
  })

  test('a poll within the interval gets slow_down, and does not delay later polls', async () => {
    const device = await beginDevice(world, project)
    const errors = (await pollAtOnce(device, 6)).map(({ body }) => body.error)
    expect(errors.sort()).toEqual(['authorization_pending', ...Array(5).fill('slow_down')])
    await later(world.service, 4, async () => {
      expect((await pollNext(device)).body.error).toBe('slow_down')
    })
    // Polls by another client do not count, and do not delay the device.
    const other = await givenClient(world, { oidc: { deviceFlow: true } })
    await later(world.service, 6, async () => {
      expect((await pollDevice(world, other, device)).body.error).toBe('invalid_grant')
      expect((await pollNext(device)).body.error).toBe('authorization_pending')
      expect((await pollNext(device)).body.error).toBe('slow_down')
      await approveDevice(world, device)
      expect((await pollNext(device)).status).toBe(200)
    })
  })

  test('a code is rejected after its session has ended', async () => {
    const device = await approved()
    const { body } = await pollDevice(world, project, device)
    await postForm(world.url, '/oidc/revoke', { token: body.access_token }, basic(project))
    expect((await pollNext(device)).body.error).toBe('invalid_grant')
  })
})
