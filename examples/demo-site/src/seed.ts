import { setTimeout as sleep } from 'node:timers/promises'
import { type ChatSim, demo } from '@rolecall/chat-sim'
import { mintLogin, Rolecall } from '@rolecall/sdk'
import type { Administration } from './administration.ts'
import type { Project } from './keep.ts'
import { seedProjects } from './seed-projects.ts'
import { walk } from './walk.ts'

interface Terms {
  readonly serviceUrl: string
  readonly sim: ChatSim
  readonly site: Project
}

/**
 * Gives every request of the administration something to show: two servers with all their members, projects, and
 * a history of what was done to them. All of it is done over the service's own endpoints, so that the audit log
 * tells the truth.
 */
export async function seed(administration: Administration, { serviceUrl, sim, site }: Terms): Promise<void> {
  const { ask } = administration
  await ask('POST', 'servers', { id: demo.gamesGuildId })
  // Both are read in the background meanwhile.
  for (const id of servers) await ask('POST', `servers/${id}/sync`)
  const projects = await seedProjects(administration, site, sim)
  await ask('PATCH', 'profile', { preferredName: 'Mara Lind (harbour office)' })
  await ask('PATCH', 'settings', { preferences: { memberActivityThresholdDays: 14 } })
  await requestTickets(serviceUrl, projects['Regatta Tickets'].apiKey)
  await misuse(serviceUrl, sim, site)
  await synced(administration, sim)
}

const servers = [demo.mainGuildId, demo.gamesGuildId]

/** Submissions to the inbound webhook of a project, one of which does not fit its schema. */
async function requestTickets(serviceUrl: string, apiKey: string) {
  for (const body of [
    { name: 'Tomás Vrána', seats: 2 },
    { name: 'Rosa Quint', seats: 4, note: 'Two of us are children.' },
    { name: 'Kenji Mori', seats: 40 },
  ]) {
    await fetch(`${serviceUrl}/api/inbound-webhooks/ticket-requests/submit`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
      body: JSON.stringify(body),
    })
  }
}

/** A code that is presented twice, which ends the session it opened, and a key that is none. */
async function misuse(serviceUrl: string, sim: ChatSim, { id, apiKey, redirectUri }: Project) {
  const rolecall = new Rolecall({ baseUrl: serviceUrl, apiKey })
  const login = { clientId: id, redirectUri, serverId: demo.mainGuildId, ...mintLogin() }
  const end = await walk(await rolecall.authorizeUrl(login), sim, demo.users.joon)
  const code = end.searchParams.get('code') ?? ''
  for (const userAgent of ['the demo site', 'somebody else']) {
    await rolecall.exchange({ ...login, code, client: { userAgent } }).catch(() => {})
  }
  await new Rolecall({ baseUrl: serviceUrl, apiKey: `${apiKey}x` }).validate('x').catch(() => {})
}

interface Listed {
  readonly data: readonly { readonly id: string; readonly lastSync: { readonly status: string } | null }[]
}

/**
 * Waits until no server is being read, has one of them fail once, so that the log has an error too, and waits until that is
 * read again. The service reads by itself as well, and may meet the fault first.
 */
async function synced({ ask }: Administration, sim: ChatSim) {
  const list = async () => (await ask<Listed>('GET', 'servers')).data
  const settled = async () => {
    for (;;) {
      const listed = await list()
      if (listed.every(({ lastSync }) => lastSync?.status !== 'running')) return listed
      await sleep(30)
    }
  }
  const failed = async () => (await settled()).filter(({ lastSync }) => lastSync?.status === 'failed')
  for (let tries = 0; tries < 5 && (await failed()).length === 0; tries++) {
    sim.failNext('members', { status: 403, code: 50_001 }, { path: demo.gamesGuildId })
    await ask('POST', `servers/${demo.gamesGuildId}/sync`)
  }
  for (const { id } of await failed()) await ask('POST', `servers/${id}/sync`)
  await settled()
}
