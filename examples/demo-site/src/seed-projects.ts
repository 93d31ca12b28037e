import { type ChatSim, demo } from '@rolecall/chat-sim'
import type { Administration } from './administration.ts'
import type { Project } from './keep.ts'

/** The projects of the demo community, with their redirect URIs and their servers. */
const community = [
  {
    name: 'Harbour Wiki',
    description: 'The club’s handbook, and the right to edit its pages.',
    serverAccess: [{ serverId: demo.mainGuildId }],
    redirectUris: ['https://wiki.harbour.example/auth/callback'],
  },
  {
    name: 'Regatta Tickets',
    description: 'Early tickets for the crew, and the rest for everyone.',
    serverAccess: [{ serverId: demo.mainGuildId, scopes: ['check_permissions'] }],
    redirectUris: ['https://tickets.harbour.example/callback', 'http://localhost:5173/callback'],
    inboundWebhook: {
      name: 'Ticket requests',
      slug: 'ticket-requests',
      schema: {
        type: 'object',
        required: ['name', 'seats'],
        properties: {
          name: { type: 'string', minLength: 1, maxLength: 100 },
          seats: { type: 'integer', minimum: 1, maximum: 8 },
          note: { type: 'string', maxLength: 500 },
        },
        additionalProperties: false,
      },
      allowedRoleIds: [demo.roles.steward, demo.roles.captain],
    },
  },
  {
    name: 'Game Night',
    description: 'The seating plan for Thursdays.',
    serverAccess: [{ serverId: demo.mainGuildId }, { serverId: demo.gamesGuildId }],
    redirectUris: ['https://games.harbour.example/login'],
  },
  {
    name: 'Watch Roster',
    description: 'Port and starboard watch, week by week. Runs beside the service itself.',
    isInternal: true,
    serverAccess: [],
    redirectUris: ['https://roster.harbour.example/callback', 'example.harbour.roster:/callback'],
  },
  {
    name: 'Old Forum',
    description: 'Read-only since the wiki opened.',
    serverAccess: [{ serverId: demo.mainGuildId }],
    redirectUris: ['https://forum.harbour.example/sso'],
  },
] as const

type Name = (typeof community)[number]['name']
type Made = Readonly<Record<Name, Pick<Project, 'id' | 'apiKey'>>>

/** Registers the projects, and then makes changes as they happen in a typical year. */
export async function seedProjects({ ask }: Administration, site: Project, sim: ChatSim): Promise<Made> {
  const made: Partial<Record<Name, Pick<Project, 'id' | 'apiKey'>>> = {}
  for (const { redirectUris, ...input } of community) {
    const { project, apiKey } = await ask<{ project: { id: string }; apiKey: string }>(
      'POST',
      'projects',
      input,
    )
    await ask('PATCH', `projects/${project.id}/redirect-uri`, { redirectUri: redirectUris.join(',') })
    made[input.name] = { id: project.id, apiKey }
  }
  const projects = made as Made
  const of = (name: Name, path = '') => `projects/${projects[name].id}${path}`
  const club = `/servers/${demo.mainGuildId}`

  const { id, token } = demo.webhook
  await ask('PATCH', of('Harbour Wiki'), { webhookUrl: `${sim.apiUrl}/webhooks/${id}/${token}` })
  await ask('PUT', of('Harbour Wiki', club), { operations: { SEND_MESSAGES: true } })
  await ask('PUT', of('Regatta Tickets', club), { operations: { MANAGE_WEBHOOKS: true } })
  await ask('PUT', `projects/${site.id}/servers/${demo.gamesGuildId}`, { scopes: ['read_members'] })
  // The reasons: one key was visible in a screenshot, one may have been stolen, and one is no longer needed.
  const path = of('Regatta Tickets', '/regenerate-api-key')
  const { apiKey } = await ask<{ apiKey: string }>('POST', path)
  await ask('DELETE', of('Harbour Wiki', '/key'))
  await ask('POST', of('Harbour Wiki', '/restore-key'))
  await ask('DELETE', of('Old Forum', '/key'))
  await ask('DELETE', of('Old Forum', club))
  await ask('PATCH', of('Old Forum'), { isActive: false })
  return { ...projects, 'Regatta Tickets': { ...projects['Regatta Tickets'], apiKey } }
}
