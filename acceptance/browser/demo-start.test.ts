import { statSync } from 'node:fs'
import { join } from 'node:path'
import { demo as ids } from '@rolecall/chat-sim'
import { Rolecall } from '@rolecall/sdk'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../tools/free-port.js'
import { launchChromium } from './chromium.ts'
import { belowShell, demoFolder, usedDemoFolder } from './start-demo.ts'
import { logIn } from './visitor.ts'

let folder: Awaited<ReturnType<typeof demoFolder>>

beforeAll(async () => {
  folder = await usedDemoFolder()
}, 240_000)
afterAll(() => folder?.remove())

describe('a second start', () => {
  const start = () => folder.start()
  // Stops demos without killing them: the service would hold the ports for a moment longer, and the next start would
  // find them taken.
  afterEach(() => folder.stopAll())

  test('finds the same project, key and sessions', async () => {
    const first = await start()
    const before = await folder.kept()
    const { apiKey, sampleToken } = before.project
    const rolecall = new Rolecall({ baseUrl: first.serviceUrl, apiKey })
    const session = await rolecall.validate(sampleToken)
    expect(session).toBeDefined()
    expect(await first.stop('SIGTERM')).toBe(0)

    const second = await start()
    expect(await folder.kept()).toEqual(before)
    expect((await rolecall.validate(sampleToken))?.session).toEqual(session?.session)
    expect(await second.stop()).toBe(0)
    expect(second.output()).not.toMatch(/Error|^\s+at /m)
  }, 240_000)

  test('on another port of the site keeps project, key and sessions, and logins come back there', async () => {
    const { project } = await folder.kept()
    const moved = await folder.start({ DEMO_PORT: await freePort() })
    expect((await folder.kept()).project).toEqual({ ...project, redirectUri: `${moved.siteUrl}/callback` })
    const browser = await launchChromium()
    const page = await browser.newPage()
    await logIn(page, moved, 'Ada Osei')
    await browser.close()
  }, 240_000)

  test('goes on without its sample where that was tried out on: a member who was blocked', async () => {
    const first = await start()
    const { adminToken } = await folder.kept()
    const ask = (method: string, body?: object) =>
      fetch(`${first.serviceUrl}/api/admin/members/${ids.users.ada}/block`, {
        method,
        headers: {
          authorization: `Bearer ${adminToken}`,
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
      })
    expect((await ask('PUT', { reason: 'Tried out' })).status).toBe(200)
    await first.stop('SIGTERM')
    const second = await start()
    expect(second.output()).toContain('Ada Osei cannot sign in: This account is blocked')
    expect(second.output()).toContain('Rolecall is running')
    expect(second.output()).not.toMatch(/Error|^\s+at /m)
    expect((await ask('DELETE')).status).toBe(204)
  }, 240_000)

  test('without the key makes a new one for the same project', async () => {
    const { project, ...keys } = await folder.kept()
    await folder.keep(keys)
    const demo = await start()
    const { project: now } = await folder.kept()
    expect(now).toMatchObject({ id: project.id, redirectUri: `${demo.siteUrl}/callback` })
    expect(now.apiKey).not.toBe(project.apiKey)
  }, 240_000)

  test('has 500 members and something to show for every request of the administration', async () => {
    const demo = await start()
    const { adminToken } = await folder.kept()
    const read = async (path: string) => {
      const headers = { authorization: `Bearer ${adminToken}` }
      const answer = await fetch(`${demo.serviceUrl}/api/admin/${path}`, { headers })
      expect(answer.status, path).toBe(200)
      return answer.json()
    }
    expect((await read('members')).total).toBeGreaterThanOrEqual(500)
    expect((await read('servers')).data.map((one: { lastSync: object }) => one.lastSync)).toEqual([
      expect.objectContaining({ status: 'succeeded' }),
      expect.objectContaining({ status: 'succeeded' }),
    ])
    const { data: projects } = await read('projects')
    const tickets = projects.find(({ name }: { name: string }) => name === 'Regatta Tickets')
    const hooks = await read(`projects/${tickets.id}/inbound-webhooks`)
    for (const path of [
      ...['projects?isActive=false', 'projects?isInternal=true', 'projects/access/matrix'],
      ...['GRANT', 'UPDATE', 'REVOKE'].map((action) => `projects/access/audit?action=${action}`),
      ...['info', 'warning', 'error'].map((severity) => `audit/logs?severity=${severity}`),
      ...['auth', 'project', 'server', 'member', 'sync', 'permission'].map(
        (type) => `audit/logs?actionType=${type}`,
      ),
      `projects/${tickets.id}/inbound-webhooks/${hooks.data[0].id}/submissions`,
    ]) {
      expect((await read(path)).data, path).not.toEqual([])
    }
    expect(demo.output()).toContain(`export ADMIN_TOKEN=${adminToken}`)
  }, 240_000)

  test('keeps its secrets to their owner', () => {
    const mode = (name: string) => statSync(join(folder.path, '.rolecall', name)).mode & 0o777
    expect(mode('demo.json')).toBe(0o600)
    expect(mode('service.log')).toBe(0o600)
  })

  test('after a kill finds ports and data free: the service ends with the demo, however that ended', async () => {
    await (await start()).stop('SIGKILL')
    await expect
      .poll(async () => (await start()).output(), { timeout: 30_000 })
      .toContain('Rolecall is running')
  }, 240_000)

  test('ends with `npm start`, whose shell tells it nothing', async () => {
    const demo = await folder.start({}, belowShell)
    await demo.stop('SIGTERM')
    // The output closes when the last process that could write to it has ended.
    await expect(fetch(`${demo.serviceUrl}/api/health`)).rejects.toThrow()
  }, 240_000)

  test('ends by itself, and says so, when the service dies', async () => {
    const demo = await start()
    for (const pid of demo.children()) process.kill(pid, 'SIGKILL')
    expect(await demo.ended).toBe(1)
    expect(demo.output()).toContain('The service stopped unexpectedly')
    expect(demo.output()).not.toMatch(/^\s+at /m)
  }, 240_000)

  test('killed while the community is being made makes all of it anew, and none of it twice', async () => {
    const fresh = await demoFolder()
    try {
      const killed = fresh.launch()
      await expect
        .poll(
          () =>
            fresh.kept().then(
              ({ project }) => project,
              () => undefined,
            ),
          { timeout: 60_000, interval: 5 },
        )
        .toBeDefined()
      await killed.stop('SIGKILL')
      expect(await fresh.kept()).not.toHaveProperty('isSeeded')
      // The service ends a moment later, and releases its ports then.
      const isUp = async () => (await fresh.start()).output()
      await expect.poll(isUp, { timeout: 60_000 }).toContain('Rolecall is running')
      const { adminToken } = await fresh.kept()
      const answer = await fetch(`http://127.0.0.1:${fresh.ports.PORT}/api/admin/audit/logs?limit=500`, {
        headers: { authorization: `Bearer ${adminToken}` },
      })
      const { data } = await answer.json()
      const made = data.filter(({ action }: { action: string }) => action === 'project.create')
      expect(made).toHaveLength(6)
    } finally {
      await fresh.remove()
    }
  }, 240_000)

  test('interrupted at any point of its first start says nothing, and the next start finds nothing half-made', async () => {
    const fresh = await demoFolder()
    try {
      for (const afterMs of [150, 600, 1_200, 2_500, 4_000]) {
        const demo = fresh.launch()
        await new Promise((resolve) => setTimeout(resolve, afterMs))
        // The exit code is null if the signal arrived before the program could handle it.
        expect([0, null]).toContain(await demo.stop())
        expect(demo.output()).not.toMatch(/Error|^\s+at /m)
      }
      const demo = await fresh.start()
      expect(demo.output()).toContain('Rolecall is running')
      expect(await demo.stop()).toBe(0)
    } finally {
      await fresh.remove()
    }
  }, 240_000)
})
