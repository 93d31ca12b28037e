import { demo } from '@rolecall/chat-sim'
import { uuidv7 } from '../src/platform/crypto/uuid.ts'
import { sql } from '../src/platform/db/sql.ts'
import { call } from './client.ts'
import { givenSession, givenProject as newProject } from './given.ts'
import { png } from './images.ts'
import type { World } from './service.ts'

/** A request to an endpoint: its path and body. */
export interface Asked {
  readonly path: string
  readonly body?: unknown
  /** A file to send instead, with its media type. */
  readonly raw?: Uint8Array<ArrayBuffer>
  readonly headers?: Record<string, string>
}

/** A write of the administration: its change, and the effect if the same request is repeated. */
export interface AdminWrite {
  /** The action of the audit entry that it writes. */
  readonly action: string
  readonly actionType: string
  /** Creates what the request needs, and returns the request. */
  readonly given: (asking: Asking) => Promise<Asked>
  /** The effect of the second request: it makes another change, changes nothing, or is refused. */
  readonly again: 'changes' | 'nothing' | 'refused'
  /** Waits until the work that the request began is finished. */
  readonly settled?: (asking: Asking) => Promise<unknown>
  readonly undo?: (asking: Asking) => Promise<unknown>
}

interface Asking {
  readonly world: World
  readonly token: string
}

const projects = '/api/admin/projects'
const servers = '/api/admin/servers'
const { mainGuildId: club, gamesGuildId: games } = demo

const logo = { raw: png(), headers: { 'content-type': 'image/png' } }

let made = 0

async function givenProject({ world, token }: Asking, body = {}): Promise<string> {
  made += 1
  const reply = await call(world.url, 'POST', projects, { token, body: { name: `Written ${made}`, ...body } })
  if (reply.status !== 201) throw new Error(reply.text)
  return `${projects}/${reply.body.project.id}`
}

async function givenWebhook(asking: Asking): Promise<string> {
  const path = `${await givenProject(asking)}/inbound-webhooks`
  const body = { name: 'Form', schema: {} }
  const reply = await call(asking.world.url, 'POST', path, { token: asking.token, body })
  return `${path}/${reply.body.id}`
}

const toProject =
  (rest = '', body?: unknown) =>
  async (asking: Asking): Promise<Asked> => ({
    path: (await givenProject(asking)) + rest,
    ...(body !== undefined && { body }),
  })

async function givenGames({ world, token }: Asking) {
  await call(world.url, 'POST', servers, { token, body: { id: games } })
  return { path: `${servers}/${games}` }
}

const removeGames = ({ world: { service } }: Asking) =>
  service.deps.db.execute(sql`update servers set removed_at = clock_now() where id = ${games}`)

/** Every endpoint that changes something, by its name in the contract. */
export const adminWrites: Readonly<Record<string, AdminWrite>> = {
  'POST /api/admin/projects': {
    ...{ action: 'project.create', actionType: 'project', again: 'refused' },
    given: async () => ({
      path: projects,
      body: { name: `Written once ${uuidv7()}`, inboundWebhook: { name: 'Form', schema: {} } },
    }),
  },
  'PATCH /api/admin/projects/{id}': {
    ...{ action: 'project.update', actionType: 'project', again: 'nothing' },
    given: toProject('', { description: 'Changed', isActive: false }),
  },
  'DELETE /api/admin/projects/{id}': {
    ...{ action: 'project.delete', actionType: 'project', again: 'refused' },
    given: toProject(),
  },
  'DELETE /api/admin/projects/{id}/key': {
    ...{ action: 'key.revoke', actionType: 'project', again: 'nothing' },
    given: toProject('/key'),
  },
  'POST /api/admin/projects/{id}/restore-key': {
    ...{ action: 'key.restore', actionType: 'project', again: 'refused' },
    given: async (asking) => {
      const path = await givenProject(asking)
      await call(asking.world.url, 'DELETE', `${path}/key`, { token: asking.token })
      return { path: `${path}/restore-key` }
    },
  },
  'POST /api/admin/projects/{id}/regenerate-api-key': {
    ...{ action: 'key.regenerate', actionType: 'project', again: 'changes' },
    given: toProject('/regenerate-api-key'),
  },
  'POST /api/admin/projects/{id}/keys': {
    ...{ action: 'key.add', actionType: 'project', again: 'changes' },
    given: toProject('/keys', { note: 'Nightly import' }),
  },
  'DELETE /api/admin/projects/{id}/keys/{keyId}': {
    ...{ action: 'key.revoke', actionType: 'project', again: 'nothing' },
    given: async (asking) => {
      const path = await givenProject(asking)
      const { body } = await call(asking.world.url, 'GET', `${path}/keys`, { token: asking.token })
      return { path: `${path}/keys/${body.data[0].id}` }
    },
  },
  'PATCH /api/admin/projects/{id}/redirect-uri': {
    ...{ action: 'project.update', actionType: 'project', again: 'nothing' },
    given: toProject('/redirect-uri', { redirectUri: 'https://site.example/one, https://site.example/two' }),
  },
  'POST /api/admin/projects/{id}/redirect-uris': {
    ...{ action: 'project.update', actionType: 'project', again: 'nothing' },
    given: toProject('/redirect-uris', { uri: 'https://site.example/one' }),
  },
  'DELETE /api/admin/projects/{id}/redirect-uris': {
    ...{ action: 'project.update', actionType: 'project', again: 'refused' },
    given: async (asking) => {
      const path = `${await givenProject(asking)}/redirect-uris`
      // The API reference shows this example of the contract.
      const uri = 'https://crew.example/callback'
      await call(asking.world.url, 'POST', path, { token: asking.token, body: { uri } })
      return { path: `${path}?uri=${encodeURIComponent(uri)}` }
    },
  },
  'PUT /api/admin/projects/{id}/logo': {
    ...{ action: 'project.update', actionType: 'project', again: 'nothing' },
    given: async (asking) => ({ path: `${await givenProject(asking)}/logo`, ...logo }),
  },
  'DELETE /api/admin/projects/{id}/logo': {
    ...{ action: 'project.update', actionType: 'project', again: 'nothing' },
    given: async (asking) => {
      const path = `${await givenProject(asking)}/logo`
      await call(asking.world.url, 'PUT', path, { token: asking.token, ...logo })
      return { path }
    },
  },
  'POST /api/admin/audit/chain/verify': {
    ...{ action: 'audit.verify', actionType: 'auth', again: 'changes' },
    given: async () => ({ path: '/api/admin/audit/chain/verify' }),
  },
  'PUT /api/admin/projects/{projectId}/servers/{serverId}': {
    ...{ action: 'access.update', actionType: 'permission', again: 'nothing' },
    given: toProject(`/servers/${club}`, { scopes: ['read_members'], operations: { MANAGE_WEBHOOKS: true } }),
  },
  'DELETE /api/admin/projects/{projectId}/servers/{serverId}': {
    ...{ action: 'access.revoke', actionType: 'permission', again: 'refused' },
    given: toProject(`/servers/${club}`),
  },
  'POST /api/admin/projects/{projectId}/inbound-webhooks': {
    ...{ action: 'webhook.create', actionType: 'webhook', again: 'refused' },
    given: toProject('/inbound-webhooks', { name: 'Form', schema: {}, slug: 'form' }),
  },
  'PATCH /api/admin/projects/{projectId}/inbound-webhooks/{webhookId}': {
    ...{ action: 'webhook.update', actionType: 'webhook', again: 'nothing' },
    given: async (asking) => ({ path: await givenWebhook(asking), body: { isActive: false } }),
  },
  'DELETE /api/admin/projects/{projectId}/inbound-webhooks/{webhookId}': {
    ...{ action: 'webhook.delete', actionType: 'webhook', again: 'refused' },
    given: async (asking) => ({ path: await givenWebhook(asking) }),
  },
  'POST /api/admin/projects/{projectId}/inbound-webhooks/{webhookId}/rotate-secret': {
    ...{ action: 'webhook.rotate', actionType: 'webhook', again: 'changes' },
    given: async (asking) => ({ path: `${await givenWebhook(asking)}/rotate-secret` }),
  },
  'POST /api/admin/projects/{id}/deliveries/{deliveryId}/resend': {
    ...{ action: 'notification.resend', actionType: 'webhook', again: 'nothing' },
    given: async (asking) => {
      const { sim, service } = asking.world
      const { id, token } = demo.webhook
      const path = await givenProject(asking, { webhookUrl: `${sim.apiUrl}/webhooks/${id}/${token}` })
      const failed = await service.deps.db.maybeOne<{ id: string }>(sql`
        insert into deliveries (kind, project_id, type, data, failed_at)
        values ('notice', ${path.slice(projects.length + 1)}, 'key.revoked', '{"text":"Gone."}', clock_now())
        returning id`)
      return { path: `${path}/deliveries/${failed?.id}/resend` }
    },
  },
  'POST /api/admin/projects/{id}/rotate-events-secret': {
    ...{ action: 'events.rotate-secret', actionType: 'project', again: 'changes' },
    given: toProject('/rotate-events-secret'),
  },
  'POST /api/admin/projects/{id}/event-deliveries/{eventId}/resend': {
    ...{ action: 'events.resend', actionType: 'webhook', again: 'nothing' },
    given: async (asking) => {
      const path = await givenProject(asking, { eventsUrl: 'https://crew.example/events' })
      const failed = await asking.world.service.deps.db.maybeOne<{ id: number }>(sql`
        insert into deliveries (kind, place, xid, project_id, type, data, failed_at)
        values ('event', (random() * 1e12)::bigint, '3', ${path.slice(projects.length + 1)}, 'session.revoked', '{}',
          clock_now())
        returning place as id`)
      return { path: `${path}/event-deliveries/3-${failed?.id}-0/resend` }
    },
  },
  'POST /api/admin/projects/{id}/logout-deliveries/{deliveryId}/resend': {
    ...{ action: 'oidc-logout.resend', actionType: 'webhook', again: 'nothing' },
    given: async (asking) => {
      const oidc = { enabled: true, backchannelLogoutUri: 'https://crew.example/logout' }
      const path = await givenProject(asking, { oidc })
      const failed = await asking.world.service.deps.db.maybeOne<{ id: string }>(sql`
        insert into deliveries (kind, project_id, member_id, type, data, failed_at)
        values ('logout', ${path.slice(projects.length + 1)}, ${demo.users.ada}, 'logout',
          jsonb_build_object('sessionId', gen_random_uuid(), 'uri', ${oidc.backchannelLogoutUri}::text), clock_now())
        returning id`)
      return { path: `${path}/logout-deliveries/${failed?.id}/resend` }
    },
  },
  'POST /api/admin/servers': {
    ...{ action: 'server.create', actionType: 'server', again: 'refused' },
    given: async () => ({ path: servers, body: { id: games } }),
    undo: removeGames,
  },
  'PATCH /api/admin/servers/{id}': {
    ...{ action: 'server.update', actionType: 'server', again: 'nothing' },
    given: async () => ({ path: `${servers}/${club}`, body: { isMain: false } }),
    undo: ({ world: { service } }) =>
      service.deps.db.execute(sql`update servers set is_main = true where id = ${club}`),
  },
  'DELETE /api/admin/servers/{id}': {
    ...{ action: 'server.delete', actionType: 'server', again: 'refused' },
    given: givenGames,
    undo: removeGames,
  },
  'POST /api/admin/servers/{id}/sync': {
    ...{ action: 'server.sync', actionType: 'sync', again: 'changes' },
    given: async (asking) => ({ path: `${(await givenGames(asking)).path}/sync` }),
    settled: ({ world: { service } }) =>
      poll(() => service.deps.db.maybeOne(sql`select from member_syncs where finished_at is null`)),
    undo: removeGames,
  },
  'DELETE /api/admin/members/{id}/sessions': {
    ...{ action: 'session.revoke_all', actionType: 'auth', again: 'nothing' },
    given: async ({ world }) => {
      await givenSession(world, await newProject(world), demo.users.yusra)
      return { path: `/api/admin/members/${demo.users.yusra}/sessions` }
    },
  },
  'DELETE /api/admin/members/{id}/sessions/{sessionId}': {
    ...{ action: 'session.revoke', actionType: 'auth', again: 'refused' },
    given: async ({ world, token }) => {
      await givenSession(world, await newProject(world), demo.users.yusra)
      const path = `/api/admin/members/${demo.users.yusra}/sessions`
      const { body } = await call(world.url, 'GET', path, { token })
      return { path: `${path}/${body.sessions[0].id}` }
    },
  },
  'DELETE /api/admin/members/{id}': {
    ...{ action: 'member.erase', actionType: 'member', again: 'refused' },
    given: async ({ world }) => {
      await givenSession(world, await newProject(world), demo.users.yusra)
      return { path: `/api/admin/members/${demo.users.yusra}` }
    },
  },
  'PUT /api/admin/members/{id}/block': {
    ...{ action: 'member.block', actionType: 'member', again: 'nothing' },
    given: async ({ world }) => {
      await givenSession(world, await newProject(world), demo.users.yusra)
      return { path: `/api/admin/members/${demo.users.yusra}/block`, body: { reason: 'Spam' } }
    },
    undo: ({ world, token }) =>
      call(world.url, 'DELETE', `/api/admin/members/${demo.users.yusra}/block`, { token }),
  },
  'DELETE /api/admin/members/{id}/block': {
    ...{ action: 'member.unblock', actionType: 'member', again: 'nothing' },
    given: async ({ world, token }) => {
      await givenSession(world, await newProject(world), demo.users.yusra)
      const path = `/api/admin/members/${demo.users.yusra}/block`
      await call(world.url, 'PUT', path, { token, body: { reason: 'Spam' } })
      return { path }
    },
    undo: ({ world, token }) =>
      call(world.url, 'DELETE', `/api/admin/members/${demo.users.yusra}/block`, { token }),
  },
  'POST /api/admin/members/{chat_user_id}/refresh': {
    ...{ action: 'member.refresh', actionType: 'member', again: 'changes' },
    given: async () => ({ path: `/api/admin/members/${demo.users.mara}/refresh` }),
  },
  'PATCH /api/admin/profile': {
    ...{ action: 'profile.update', actionType: 'member', again: 'nothing' },
    given: async () => ({ path: '/api/admin/profile', body: { preferredName: 'Written' } }),
  },
  'PATCH /api/admin/settings': {
    ...{ action: 'settings.update', actionType: 'permission', again: 'nothing' },
    given: async () => ({
      path: '/api/admin/settings',
      body: { cache: { statsTtlMs: 1 }, rateLimit: { maxWebhooksPerProject: 9 } },
    }),
  },
  'POST /api/admin/settings/reset': {
    ...{ action: 'settings.reset', actionType: 'permission', again: 'nothing' },
    given: async ({ world, token }) => {
      const body = { preferences: { memberActivityThresholdDays: 7 } }
      await call(world.url, 'PATCH', '/api/admin/settings', { token, body })
      return { path: '/api/admin/settings/reset' }
    },
  },
}

async function poll(isBusy: () => Promise<unknown>) {
  while (await isBusy()) await new Promise((resolve) => setTimeout(resolve, 20))
}
