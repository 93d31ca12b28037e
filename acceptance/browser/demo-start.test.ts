import { statSync } from 'node:fs'
import { join } from 'node:path'
import { demo as ids } from '@rolecall/chat-sim'
import { Rolecall } from '@rolecall/sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../tools/free-port.js'
import { launchChromium } from './chromium.ts'
import { belowShell, type Demo, demoFolder, usedDemoFolder } from './start-demo.ts'
import { logIn } from './visitor.ts'

let folder: Awaited<ReturnType<typeof demoFolder>>
/** The demo that the test before has left running. A start takes five seconds of processor time. */
let running: Demo | undefined

/** Returns the running demo, or starts one. */
const demo = async () => (running ??= await folder.start())
/**
 * Ends the running demo, and returns its exit code. Kills no demo without a reason: the service would hold the ports
 * for a moment longer, and the next start would find them taken.
 */
async function stop(signal?: NodeJS.Signals) {
  const code = await running?.stop(signal)
  running = undefined
  return code
}
beforeAll(async () => {
  folder = await usedDemoFolder()
}, 240_000)
afterAll(() => folder?.remove())

describe('a second start', { timeout: 240_000 }, () => {
  /** Returns the session of the sample token. */
  async function sampleSession() {
    const { apiKey, sampleToken } = (await folder.kept()).project
    return (await new Rolecall({ baseUrl: (await demo()).serviceUrl, apiKey }).validate(sampleToken))?.session
  }

  test('on another port of the site keeps project, key and sessions, and logins come back there', async () => {
    const { project } = await folder.kept()
    folder.ports.DEMO_PORT = await freePort()
    const moved = await demo()
    expect((await folder.kept()).project).toEqual({ ...project, redirectUri: `${moved.siteUrl}/callback` })
    const browser = await launchChromium()
    const page = await browser.newPage()
    await logIn(page, moved, 'Ada Osei')
    await browser.close()
  })

  test('finds the same project, key and sessions', async () => {
    const session = await sampleSession()
    expect(session).toBeDefined()
    const before = await folder.kept()
    expect(await stop('SIGTERM')).toBe(0)

    const next = await demo()
    expect(await folder.kept()).toEqual(before)
    expect(await sampleSession()).toEqual(session)
    expect(next.output()).not.toMatch(/Error|^\s+at /m)
  })

  test('has 500 members and something to show for every request of the administration', async () => {
    const { serviceUrl, output } = await demo()
    const { adminToken } = await folder.kept()
    const read = async (path: string) => {
      const headers = { authorization: `Bearer ${adminToken}` }
      const answer = await fetch(`${serviceUrl}/api/admin/${path}`, { headers })
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
    expect(output()).toContain(`export ADMIN_TOKEN=${adminToken}`)
  })

  test('goes on without its sample where that was tried out on: a member who was blocked', async () => {
    const { serviceUrl } = await demo()
    const { adminToken } = await folder.kept()
    const ask = (method: string, body?: object) =>
      fetch(`${serviceUrl}/api/admin/members/${ids.users.ada}/block`, {
        method,
        headers: {
          authorization: `Bearer ${adminToken}`,
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
      })
    expect((await ask('PUT', { reason: 'Tried out' })).status).toBe(200)
    expect(await stop('SIGINT')).toBe(0)
    const { output } = await demo()
    expect(output()).toContain('Ada Osei cannot sign in: This account is blocked')
    expect(output()).toContain('Rolecall is running')
    expect(output()).not.toMatch(/Error|^\s+at /m)
    expect((await ask('DELETE')).status).toBe(204)
  })

  test('without the key makes a new one for the same project', async () => {
    await stop('SIGTERM')
    const { project, ...keys } = await folder.kept()
    await folder.keep(keys)
    const { siteUrl } = await demo()
    const { project: now } = await folder.kept()
    expect(now).toMatchObject({ id: project.id, redirectUri: `${siteUrl}/callback` })
    expect(now.apiKey).not.toBe(project.apiKey)
  })

  test('keeps its secrets to their owner', () => {
    const mode = (name: string) => statSync(join(folder.path, '.rolecall', name)).mode & 0o777
    expect(mode('demo.json')).toBe(0o600)
    expect(mode('service.log')).toBe(0o600)
  })

  test('after a kill finds ports and data free: the service ends with the demo, however that ended', async () => {
    await demo()
    await stop('SIGKILL')
    const isUp = async () => (await demo()).output()
    await expect.poll(isUp, { timeout: 30_000 }).toContain('Rolecall is running')
  })

  test('ends by itself, and says so, when the service dies', async () => {
    const { children, ended, output } = await demo()
    running = undefined
    for (const pid of children()) process.kill(pid, 'SIGKILL')
    expect(await ended).toBe(1)
    expect(output()).toContain('The service stopped unexpectedly')
    expect(output()).not.toMatch(/^\s+at /m)
  })

  test('ends with `npm start`, whose shell tells it nothing', async () => {
    await stop('SIGTERM')
    running = await folder.start({}, belowShell)
    const { serviceUrl } = running
    await stop('SIGTERM')
    // The output closes when the last process that could write to it has ended.
    await expect(fetch(`${serviceUrl}/api/health`)).rejects.toThrow()
  })
})

test('a first start that is interrupted at any point says nothing; one that is killed makes the community anew, and none of it twice', async () => {
  const fresh = await demoFolder()
  try {
    for (const afterMs of [150, 600, 1_200, 2_500, 4_000]) {
      const interrupted = fresh.launch()
      await new Promise((resolve) => setTimeout(resolve, afterMs))
      // The exit code is null if the signal arrived before the program could handle it.
      expect([0, null]).toContain(await interrupted.stop())
      expect(interrupted.output()).not.toMatch(/Error|^\s+at /m)
    }
    const launchedAt = Date.now()
    const killed = fresh.launch()
    // Each start keeps something as soon as its service listens, and makes the community after that.
    const isMaking = async () => statSync(fresh.keptFile).mtimeMs > launchedAt && (await fresh.kept()).project
    await expect.poll(() => isMaking().catch(() => undefined), { timeout: 60_000, interval: 5 }).toBeTruthy()
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
