import { randomUUID } from 'node:crypto'
import { demo } from '@rolecall/chat-sim'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  ask,
  authorizePath,
  describeWithMembers,
  givenProject,
  givenSession,
  logInAsAdmin,
  type Sent,
  uniqueName,
  validate,
} from './service.ts'

describeWithMembers('projects', () => {
  let token: string
  beforeAll(async () => {
    token = await logInAsAdmin()
  })
  const admin = (method: string, path: string, body?: unknown) => {
    const sent: Sent = body === undefined ? { token } : { token, body }
    return ask(method, `/api/admin/projects${path}`, sent)
  }
  const names = async (query: object) => {
    const { body } = await admin('GET', `?${new URLSearchParams(query as Record<string, string>)}`)
    return body.data.map(({ name }: { name: string }) => name)
  }

  test('GET: 200, narrowed by isActive, isInternal and a part of the name in any case; 400 for other values', async () => {
    const [plain, internal, inactive] = [uniqueName('Plain'), uniqueName('Internal'), uniqueName('Inactive')]
    await admin('POST', '', { name: plain })
    await admin('POST', '', { name: internal, isInternal: true })
    await admin('POST', '', { name: inactive, isActive: false })
    expect(await names({ name: plain.slice(2).toUpperCase() })).toEqual([plain])
    expect(await names({ isInternal: 'true' })).toContain(internal)
    expect(await names({ isInternal: 'true' })).not.toContain(plain)
    expect(await names({ isActive: 'false' })).toContain(inactive)
    expect(await names({ isActive: 'true' })).not.toContain(inactive)
    expect((await admin('GET', '?isActive=yes')).status).toBe(400)
  })

  test('POST: 201 with the whole API key, which no later answer has; active, with all scopes on the main server', async () => {
    const made = await admin('POST', '', { name: uniqueName(), description: 'What it is for.' })
    expect(made.status).toBe(201)
    const { project, apiKey } = made.body
    expect(apiKey).toMatch(/^rck_/)
    expect(project).toMatchObject({ isActive: true, isInternal: false, description: 'What it is for.' })
    expect(project.serverAccess).toEqual([
      expect.objectContaining({
        serverId: demo.mainGuildId,
        scopes: expect.arrayContaining(['read_members', 'check_permissions']),
      }),
    ])
    for (const path of ['', `/${project.id}`, `/${project.id}/api-key`]) {
      expect((await admin('GET', path)).text).not.toContain(apiKey)
    }
    const { body } = await admin('GET', `/${project.id}/api-key`)
    expect(body).toMatchObject({ prefix: apiKey.slice(0, 12), status: 'active' })
  })

  test('POST: what is named counts: access, scopes, an inbound webhook that is made with it', async () => {
    const schema = { type: 'object', properties: { name: { type: 'string' } } }
    const { status, body } = await admin('POST', '', {
      name: uniqueName(),
      isActive: false,
      serverAccess: [{ serverId: demo.mainGuildId, scopes: ['read_members'] }],
      inboundWebhook: { name: 'Forms', schema, slug: 'forms', acceptedOrigins: [], allowedRoleIds: [] },
    })
    expect(status).toBe(201)
    expect(body.project).toMatchObject({ isActive: false, serverAccess: [{ scopes: ['read_members'] }] })
    expect(body.inboundWebhook).toMatchObject({ slug: 'forms', secret: expect.stringMatching(/^whsec_/) })
  })

  test('POST: 400 for a body that is not valid, every field at once', async () => {
    const { status, body } = await admin('POST', '', { name: '', isActive: 'yes', unknown: 1 })
    expect(status).toBe(400)
    const paths = new Set(body.errors.map(({ path }: { path: string }) => path))
    expect([...paths].sort()).toEqual(['/isActive', '/name', '/unknown'])
  })

  test('GET /{id}: 200; PATCH /{id}: 200, and what is left out stays', async () => {
    const { id } = await givenProject(token, { description: 'First.' })
    const name = uniqueName()
    const patched = await admin('PATCH', `/${id}`, { name, isInternal: true })
    expect(patched.status).toBe(200)
    const { status, body } = await admin('GET', `/${id}`)
    expect([status, body.name, body.isInternal, body.description]).toEqual([200, name, true, 'First.'])
  })

  test('PATCH with isActive: an inactive project is refused at authorize and by its key, until it is active again', async () => {
    const project = await givenProject(token)
    const session = await givenSession(project)
    await admin('PATCH', `/${project.id}`, { isActive: false })
    expect((await ask('GET', authorizePath(project.id))).status).toBe(403)
    expect((await validate(project, session.token)).status).toBe(401)
    await admin('PATCH', `/${project.id}`, { isActive: true })
    expect((await ask('GET', authorizePath(project.id))).status).toBe(302)
  })

  test('DELETE /{id}: 204, and it is gone with its key', async () => {
    const project = await givenProject(token)
    expect((await admin('DELETE', `/${project.id}`)).status).toBe(204)
    expect((await admin('GET', `/${project.id}`)).status).toBe(404)
    expect((await validate(project, 'rcs_x')).body.code).toBe('INVALID_API_KEY')
  })

  describe('the API key', () => {
    const isTaken = async (project: { id: string; key: string }) =>
      (await validate(project, `rcs_${'x'.repeat(49)}`)).body.code !== 'INVALID_API_KEY'

    test('DELETE /{id}/key: 204, and it is refused; POST /{id}/restore-key: 204, and it is taken again', async () => {
      const project = await givenProject(token)
      expect(await isTaken(project)).toBe(true)
      expect((await admin('DELETE', `/${project.id}/key`)).status).toBe(204)
      expect(await isTaken(project)).toBe(false)
      expect((await admin('GET', `/${project.id}/api-key`)).body.status).toBe('revoked')
      expect((await admin('POST', `/${project.id}/restore-key`)).status).toBe(204)
      expect(await isTaken(project)).toBe(true)
    })

    test('POST /{id}/regenerate-api-key: 200 with the new one whole; the old one is refused at once', async () => {
      const project = await givenProject(token)
      const { status, body } = await admin('POST', `/${project.id}/regenerate-api-key`)
      expect(status).toBe(200)
      expect(body).toMatchObject({ apiKey: expect.stringMatching(/^rck_/), prefix: body.apiKey.slice(0, 12) })
      expect(await isTaken(project)).toBe(false)
      expect(await isTaken({ ...project, key: body.apiKey })).toBe(true)
    })
  })

  test('PATCH /{id}/redirect-uri: 200, one or several by commas; 400 for what is no redirect URI', async () => {
    const { id } = await givenProject(token)
    const set = (redirectUri: string) => admin('PATCH', `/${id}/redirect-uri`, { redirectUri })
    const { status, body } = await set('https://a.example/cb, http://127.0.0.1:8080/cb')
    expect([status, body.redirectUris]).toEqual([200, ['https://a.example/cb', 'http://127.0.0.1:8080/cb']])
    for (const wrong of [
      '',
      'not a uri',
      'http://a.example/cb',
      'https://a.example/*',
      'https://a.example/#x',
    ]) {
      expect((await set(wrong)).status, wrong).toBe(400)
    }
  })

  test.each([
    ['GET', ''],
    ['PATCH', ''],
    ['DELETE', ''],
    ['GET', '/api-key'],
    ['DELETE', '/key'],
    ['POST', '/restore-key'],
    ['POST', '/regenerate-api-key'],
    ['PATCH', '/redirect-uri'],
  ])('%s /{id}%s: 400 for an id that is none, 404 where no project has it', async (method, path) => {
    const bodies: Record<string, unknown> = {
      '': { description: 'x' },
      '/redirect-uri': { redirectUri: 'https://a.example/' },
    }
    const body = method === 'PATCH' ? bodies[path] : undefined
    expect((await admin(method, `/not-a-uuid${path}`, body)).status).toBe(400)
    const unknown = await admin(method, `/${randomUUID()}${path}`, body)
    expect([unknown.status, unknown.body.code]).toEqual([404, 'PROJECT_NOT_FOUND'])
  })
})
