import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type ChatSim, demo, startChatSim } from '../index.ts'

let sim: ChatSim
beforeAll(async () => {
  sim = await startChatSim()
})
afterEach(() => sim.reset())
afterAll(() => sim.close())

const { mainGuildId: guild, users, roles } = demo
const rolesOf = (user: string) => sim.world.guilds.get(guild)?.members.get(user)?.roles
const press = (action: string, fields: Record<string, string> = {}, headers: Record<string, string> = {}) =>
  fetch(`${sim.controlUrl}/${action}`, {
    method: 'POST',
    body: new URLSearchParams({ guild, ...fields }),
    headers,
  })

describe('the control page', () => {
  it('gives and takes a role, and says so', async () => {
    const page = await (await press('toggle-role', { member: users.ada, role: roles.captain })).text()
    expect(page).toContain('Gave Captain to ada.osei.')
    expect(rolesOf(users.ada)).toContain(roles.captain)
    await press('toggle-role', { member: users.ada, role: roles.captain })
    expect(rolesOf(users.ada)).not.toContain(roles.captain)
  })

  it('is where the address of the platform leads', async () => {
    const answer = await fetch(sim.url)
    expect([answer.status, answer.url]).toEqual([200, sim.controlUrl])
  })

  it('kicks, lets in, bans and forgives', async () => {
    await press('kick', { member: users.ada })
    expect(rolesOf(users.ada)).toBeUndefined()
    await press('join', { member: users.ada })
    expect(rolesOf(users.ada)).toEqual([])
    await press('ban', { member: users.ada })
    expect(await (await press('join', { member: users.ada })).text()).toContain('is banned')
    await press('unban', { member: users.ada })
    await press('join', { member: users.ada })
    expect(rolesOf(users.ada)).toEqual([])
  })

  it('breaks the platform but not itself', async () => {
    await press('outage', { seconds: '5' })
    const askForBot = () =>
      fetch(`${sim.apiUrl}/v10/users/@me`, { headers: { authorization: `Bot ${demo.botToken}` } })
    await expect(askForBot()).rejects.toThrow()
    expect((await fetch(sim.controlUrl)).status).toBe(200)
    await press('clear')
    expect((await askForBot()).status).toBe(200)
  })

  it('shows what webhooks were told, newest first, escaped', async () => {
    const { id, token } = demo.webhook
    for (const title of ['Key revoked', '<b>Key restored</b>']) {
      const reply = await fetch(`${sim.apiUrl}/v10/webhooks/${id}/${token}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ embeds: [{ title, description: 'By mara.', footer: { text: 'Site' } }] }),
      })
      expect(reply.status).toBe(204)
    }
    const page = await (await fetch(sim.controlUrl)).text()
    expect(page).toContain('By mara.')
    expect(page).not.toContain('<b>Key restored')
    expect(page.indexOf('Key restored')).toBeLessThan(page.indexOf('Key revoked'))
    expect(page.indexOf('Key restored')).toBeGreaterThan(0)
  })

  it('escapes names', async () => {
    sim.world.updateUser(users.ada, { global_name: '<img src=x onerror=alert(1)>' })
    expect(await (await fetch(`${sim.controlUrl}?member=${users.ada}`)).text()).not.toContain('<img src=x')
  })

  it('refuses forms of other sites', async () => {
    expect((await press('reset', {}, { origin: 'https://elsewhere.test' })).status).toBe(403)
    expect((await press('reset', {}, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
  })

  it('leaves no trace in the journal', async () => {
    await press('nick', { member: users.ada, nick: 'A' })
    expect(sim.journal.count()).toBe(0)
  })
})
