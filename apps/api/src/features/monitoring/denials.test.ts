import { demo } from '@rolecall/chat-sim'
import { beforeAll, describe, expect, test } from 'vitest'
import { call, type Reply } from '../../../test/client.ts'
import { mainEngines } from '../../../test/databases.ts'
import { authorizePath, type GivenProject, givenProject, givenSession } from '../../../test/given.ts'
import { givenWebhook, sign, submit } from '../../../test/given-webhook.ts'
import { adminForTests, worldForTests } from '../../../test/world-for-tests.ts'

describe.each(mainEngines)('access that is denied on %s', (engine) => {
  const world = worldForTests(engine, { PERMISSION_TTL_MS: '3600000' })
  let project: GivenProject
  const admin = adminForTests(world)
  beforeAll(async () => {
    project = await givenProject(world, { serverIds: [] })
  })

  const members = `/api/servers/${demo.mainGuildId}/members`
  /** The error code of each denial, the request that causes it, and its record. */
  const denials: Record<string, { ask: () => Promise<Reply>; record: object }> = {
    SCOPE_REQUIRED: {
      ask: () => call(world.url, 'GET', members, { key: project.key }),
      record: { kind: 'api_key', reason: 'scope_required', path: members },
    },
    OPERATION_REQUIRED: {
      ask: () => call(world.url, 'GET', '/api/inbound-webhooks', { key: project.key }),
      record: { kind: 'api_key', reason: 'operation_required' },
    },
    SERVER_NOT_ACCESSIBLE: {
      ask: () =>
        call(world.url, 'GET', authorizePath(project.id), { headers: { accept: 'application/json' } }),
      record: { kind: 'api_key', reason: 'server_not_accessible', path: '/api/auth/authorize' },
    },
    REDIRECT_URI_NOT_ALLOWED: {
      ask: () =>
        call(world.url, 'GET', authorizePath(project.id, { redirect_uri: 'https://bad.example/' }), {
          headers: { accept: 'application/json' },
        }),
      record: { kind: 'api_key', reason: 'redirect_uri_not_allowed' },
    },
    ROLE_REQUIRED: {
      ask: async () => {
        const own = await givenProject(world)
        const hook = await givenWebhook(world, own)
        const session = await givenSession(world, own)
        project = own
        return call(world.url, 'GET', `/api/inbound-webhooks/${hook.id}/submissions`, {
          token: session.token,
        })
      },
      record: { kind: 'session', reason: 'role_required' },
    },
    ORIGIN_NOT_ALLOWED: {
      ask: async () => {
        const hook = await givenWebhook(world, project, { acceptedOrigins: ['https://site.example'] })
        const headers = { origin: 'https://bad.example' }
        return submit(world, project, hook.id, { body: { name: 'Ada' }, headers })
      },
      record: { kind: 'api_key', reason: 'origin_not_allowed' },
    },
    SIGNATURE_REPLAYED: {
      ask: async () => {
        const hook = await givenWebhook(world, project)
        const raw = '{"name":"Ada"}'
        const sent = { raw, headers: sign(hook.secret, raw) }
        await submit(world, project, hook.id, sent)
        return submit(world, project, hook.id, sent)
      },
      record: { kind: 'signature', reason: 'replayed' },
    },
  }

  test.each(Object.keys(denials))('%s is recorded, with the project and the request', async (code) => {
    const { ask, record } = denials[code] as (typeof denials)[string]
    const reply = await ask()
    expect(reply.body['code']).toBe(code)
    await world.service.recorder.flush()
    const { body } = await call(world.url, 'GET', '/api/admin/monitoring/auth-failures', admin)
    const requestId = reply.headers.get('x-request-id')
    expect(body.data[0]).toMatchObject({ ...record, requestId, projectId: project.id, address: '127.0.0.1' })
  })
})
