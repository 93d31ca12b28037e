import { demo } from '@rolecall/chat-sim'
import { vi } from 'vitest'
import type { Administration } from '../../api/test/administration.ts'
import { call } from '../../api/test/client.ts'
import { issueSession } from '../../api/test/issue-session.ts'
import type { World } from '../../api/test/service.ts'

/** The objects that the pages show, created once before the first page opens. */
export interface Shown {
  readonly projectId: string
  /** A webhook with one accepted payload. */
  readonly webhookId: string
}

/** A page that the tests check in every width and color scheme: its address below /console, and its title. */
export interface LookedAt {
  readonly path: (shown: Shown) => string
  readonly title: RegExp
}

/** Every page, one per line. */
export const pages: readonly LookedAt[] = [
  { path: () => '/projects', title: /^Projects$/ },
  { path: () => '/projects?name=nothing-like-it', title: /^Projects$/ },
  { path: () => '/projects/new', title: /^New project$/ },
  { path: () => '/projects/new?step=2', title: /^New project$/ },
  { path: () => '/projects/new?step=3', title: /^New project$/ },
  { path: () => '/projects/new?step=4', title: /^New project$/ },
  { path: ({ projectId }) => `/projects/${projectId}`, title: /^Harbour log$/ },
  { path: ({ projectId }) => `/projects/${projectId}/keys`, title: /^Harbour log$/ },
  { path: ({ projectId }) => `/projects/${projectId}/redirects`, title: /^Harbour log$/ },
  { path: ({ projectId }) => `/projects/${projectId}/sign-in`, title: /^Harbour log$/ },
  { path: ({ projectId }) => `/projects/${projectId}/proxy`, title: /^Harbour log$/ },
  { path: ({ projectId }) => `/projects/${projectId}/webhooks`, title: /^Harbour log$/ },
  {
    path: ({ projectId, webhookId }) => `/projects/${projectId}/webhooks/${webhookId}`,
    title: /^Harbour log$/,
  },
  { path: ({ projectId }) => `/projects/${projectId}/events`, title: /^Harbour log$/ },
  { path: ({ projectId }) => `/projects/${projectId}/sessions`, title: /^Harbour log$/ },
  { path: ({ projectId }) => `/projects/${projectId}/audit`, title: /^Harbour log$/ },
  { path: ({ projectId }) => `/projects/${projectId}/settings`, title: /^Harbour log$/ },
  { path: () => '/members', title: /^Members$/ },
  { path: () => `/members?server=${demo.mainGuildId}&roles=${demo.roles.crew}`, title: /^Members$/ },
  { path: () => `/members/${demo.users.ada}`, title: /^Ada/ },
  { path: () => `/members/${demo.users.ada}/sessions`, title: /^Ada/ },
  { path: () => `/members/${demo.users.ada}/why`, title: /^Ada/ },
  { path: () => `/members/${demo.users.mara}/activity`, title: /^Mara/ },
  { path: () => `/members/${demo.users.ada}/data`, title: /^Ada/ },
  { path: () => '/servers', title: /^Servers$/ },
  { path: () => `/servers/${demo.mainGuildId}`, title: /^Harbour Club$/ },
  { path: () => '/access', title: /^Access$/ },
  { path: () => '/webhooks', title: /^Inbound webhooks$/ },
  { path: () => '/overview', title: /^Overview$/ },
  { path: () => '/audit', title: /^Audit$/ },
  { path: () => '/audit?severity=error&about=nothing', title: /^Audit$/ },
  { path: () => '/monitoring', title: /^Monitoring$/ },
  { path: () => '/monitoring?range=7d&by=status&failures=reason', title: /^Monitoring$/ },
  { path: () => '/settings', title: /^Settings$/ },
  { path: () => '/about', title: /^About$/ },
  { path: () => '/profile', title: /^Your profile$/ },
  { path: () => '/nowhere', title: /^Page not found$/ },
]

/** Reads all members of the main server, with their roles. */
export async function readMembers({ token }: Administration, { url }: World) {
  const servers = '/api/admin/servers'
  await call(url, 'POST', `${servers}/${demo.mainGuildId}/sync`, { token })
  await vi.waitUntil(
    async () => (await call(url, 'GET', servers, { token })).body.data[0].lastSync.status === 'succeeded',
    { timeout: 30_000 },
  )
}

/** Creates the objects that the pages show. */
export async function makeShown(admin: Administration, world: World): Promise<Shown> {
  await readMembers(admin, world)
  const { project, apiKey } = await admin.create({
    name: 'Harbour log',
    description: 'Who sails when, and with whom.',
  })
  await admin.create({ name: 'Crew shop' })
  await admin.create({ name: 'Old wiki', isActive: false })
  await admin.projects('PATCH', `/${project.id}/redirect-uri`, {
    redirectUri: 'https://log.example/callback',
  })
  const { body: webhook } = await admin.projects('POST', `/${project.id}/inbound-webhooks`, {
    name: 'Tide reports',
    schema: { type: 'object', properties: { metres: { type: 'number' } }, required: ['metres'] },
    requireSignature: false,
  })
  await call(world.url, 'POST', `/api/inbound-webhooks/${webhook.id}/submit`, {
    key: apiKey,
    body: {
      metres: 2.4,
      note: 'Measured at the pier, at the mark below the lamp, by two of the crew, twice.',
    },
  })
  const redirectUri = 'https://log.example/callback'
  const { service, sim } = world
  await issueSession(service.deps, sim, { projectId: project.id, redirectUri, as: demo.users.ada })
  return { projectId: project.id, webhookId: webhook.id }
}
