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
 * Fills the administration with content: two servers with all their members, projects, and a history of changes. It
 * only calls endpoints of the service, so that the audit log contains everything that happened.
 */
export async function seed(administration: Administration, { serviceUrl, sim, site }: Terms): Promise<void> {
  const { ask } = administration
  await ask('POST', 'servers', { id: demo.gamesGuildId })
  // The service reads the members of both servers in the background.
  for (const id of servers) await ask('POST', `servers/${id}/sync`)
  const projects = await seedProjects(administration, site, sim)
  await ask('PATCH', 'profile', { preferredName: 'Mara Lind (harbour office)' })
  await ask('PATCH', 'settings', { preferences: { memberActivityThresholdDays: 14 } })
  await requestTickets(serviceUrl, projects['Regatta Tickets'].apiKey)
  await misuse(serviceUrl, sim, site)
  await synced(administration, sim)
}

const servers = [demo.mainGuildId, demo.gamesGuildId]

/** Sends submissions to the inbound webhook of a project. One of them does not match the schema. */
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

/** Makes rejected calls for the statistics: sends a code twice, which ends its session, and a key that is not valid. */
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
 * Waits until no sync is running. Then makes one sync fail, so that the log also contains an error, and waits for its
 * retry. The service also starts syncs by itself, so another sync may be the one that fails.
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
