import { demo } from '@rolecall/chat-sim'
import { endpoints } from '@rolecall/contract'
import { describe, expect, test } from 'vitest'
import { givenAdministration } from '../../../test/administration.ts'
import { call } from '../../../test/client.ts'
import { mainEngines } from '../../../test/databases.ts'
import { authorizePath, givenProject, givenSession, validate } from '../../../test/given.ts'
import { madeForTests } from '../../../test/made-for-tests.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'

describe.each(mainEngines)('API keys on %s', (engine) => {
  const world = worldForTests(engine)
  const admin = madeForTests(() => givenAdministration(world))

  /** Returns the code of the response when a key asks about a made-up token. */
  const codeFor = async (key: string) =>
    (await call(world.url, 'POST', '/api/auth/validate', { key, body: { token: 'x' } })).body.code

  test('GET /api-key: 200 with prefix and metadata, never the key', async () => {
    const { project, apiKey } = await admin.create()
    const reply = await admin.projects('GET', `/${project.id}/api-key`)
    expect(reply.status).toBe(200)
    expect(reply.body).toEqual({
      prefix: apiKey.slice(0, 12),
      status: 'active',
      createdAt: expect.any(String),
      lastUsedAt: null,
      revokedAt: null,
    })
    expect(reply.text).not.toContain(apiKey.slice(12))
  })

  test('says when a key was last used; a browser that only names the project does not use it', async () => {
    const used = await givenProject(world)
    const named = await givenProject(world)
    await call(world.url, 'POST', '/api/auth/logout', { key: used.key, body: { token: 'x' } })
    await call(world.url, 'GET', authorizePath(named.id, { server_id: demo.gamesGuildId }))
    await world.service.recorder.flush()
    const lastUsedAt = async (id: string) =>
      (await admin.projects('GET', `/${id}/api-key`)).body.lastUsedAt as string | null
    expect(await lastUsedAt(used.id)).toEqual(expect.any(String))
    expect(await lastUsedAt(named.id)).toBeNull()
  })

  const byKey = endpoints.filter(({ auth }) => auth === 'projectKey')
  test.each(byKey.map((one) => [`${one.method} ${one.path}`, one] as const))(
    'a refused %s is a use of a good key too',
    async (_, { method, path }) => {
      const { id, key } = await givenProject(world)
      const filled = `${path.replaceAll(/\{\w+\}/g, '0')}?unknown=1`
      const reply = await call(world.url, method, filled, {
        key,
        ...(method !== 'GET' && { body: { x: 1 } }),
      })
      expect(reply.status, reply.text).toBeGreaterThanOrEqual(400)
      await world.service.recorder.flush()
      expect((await admin.projects('GET', `/${id}/api-key`)).body.lastUsedAt).toEqual(expect.any(String))
    },
  )

  test('a key of an inactive project was used; a wrong key with the prefix of a good one was not', async () => {
    const inactive = await givenProject(world)
    const guessed = await givenProject(world)
    await admin.projects('PATCH', `/${inactive.id}`, { isActive: false })
    expect(await codeFor(inactive.key)).toBe('PROJECT_INACTIVE')
    expect(await codeFor(`${guessed.key.slice(0, -1)}${guessed.key.endsWith('0') ? '1' : '0'}`)).toBe(
      'INVALID_API_KEY',
    )
    await world.service.recorder.flush()
    const lastUsedAt = async (id: string) => (await admin.projects('GET', `/${id}/api-key`)).body.lastUsedAt
    expect(await lastUsedAt(inactive.id)).toEqual(expect.any(String))
    expect(await lastUsedAt(guessed.id)).toBeNull()
  })

  test('DELETE /key: 204 ends the key at once; a second time is 204 too and leaves no second entry', async () => {
    const { project, apiKey } = await admin.create()
    expect(await codeFor(apiKey)).toBe('INVALID_TOKEN')
    for (const _ of [1, 2]) {
      expect((await admin.projects('DELETE', `/${project.id}/key`)).status).toBe(204)
      expect(await codeFor(apiKey)).toBe('INVALID_API_KEY')
    }
    const info = (await admin.projects('GET', `/${project.id}/api-key`)).body
    expect(info).toMatchObject({ status: 'revoked', revokedAt: expect.any(String) })
    expect((await admin.audit(project.id)).map(({ action }) => action)).toEqual([
      'project.create',
      'key.revoke',
    ])
  })

  test('POST /restore-key: 204 brings the revoked key back, 409 when none is revoked', async () => {
    const { project, apiKey } = await admin.create()
    await admin.projects('DELETE', `/${project.id}/key`)
    expect((await admin.projects('POST', `/${project.id}/restore-key`)).status).toBe(204)
    expect(await codeFor(apiKey)).toBe('INVALID_TOKEN')
    const again = await admin.projects('POST', `/${project.id}/restore-key`)
    expect([again.status, again.body.code]).toEqual([409, 'NO_REVOKED_KEY'])
    expect((await admin.audit(project.id)).map(({ action }) => action)).toEqual([
      'project.create',
      'key.revoke',
      'key.restore',
    ])
  })

  test('POST /regenerate-api-key: 200 with the new key, and no way back to the old one', async () => {
    const { project, apiKey: old } = await admin.create()
    const reply = await admin.projects('POST', `/${project.id}/regenerate-api-key`)
    expect(reply.status).toBe(200)
    const { apiKey, prefix, createdAt } = reply.body
    expect(apiKey.startsWith(prefix)).toBe(true)
    expect([await codeFor(old), await codeFor(apiKey)]).toEqual(['INVALID_API_KEY', 'INVALID_TOKEN'])
    const info = (await admin.projects('GET', `/${project.id}/api-key`)).body
    expect(info).toMatchObject({ prefix, createdAt, status: 'active' })

    await admin.projects('DELETE', `/${project.id}/key`)
    await admin.projects('POST', `/${project.id}/restore-key`)
    expect([await codeFor(old), await codeFor(apiKey)]).toEqual(['INVALID_API_KEY', 'INVALID_TOKEN'])
    expect(JSON.stringify(await admin.audit(project.id))).not.toContain(apiKey)
  })

  test.each(['regenerate-api-key', 'restore-key'])(
    'POST /%s with the ID of a key: 409 if another key is the newest, and nothing changes',
    async (path) => {
      const { project, apiKey } = await admin.create()
      const { id: own } = (await admin.projects('GET', `/${project.id}/keys`)).body.data[0]
      const { body: added } = await admin.projects('POST', `/${project.id}/keys`)
      await admin.projects('DELETE', `/${project.id}/keys/${added.id}`)
      const refused = await admin.projects('POST', `/${project.id}/${path}`, { keyId: own })
      expect([refused.status, refused.body.code]).toEqual([409, 'API_KEY_NOT_NEWEST'])
      expect([await codeFor(apiKey), await codeFor(added.apiKey)]).toEqual([
        'INVALID_TOKEN',
        'INVALID_API_KEY',
      ])
      const done = await admin.projects('POST', `/${project.id}/${path}`, { keyId: added.id.toUpperCase() })
      expect(done.status, done.text).toBe(path === 'restore-key' ? 204 : 200)
    },
  )

  test('adding a key while the key before it is replaced does not lose the added key', async () => {
    const { project } = await admin.create()
    const { id: keyId } = (await admin.projects('GET', `/${project.id}/keys`)).body.data[0]
    const [added, replaced] = await Promise.all([
      admin.projects('POST', `/${project.id}/keys`),
      admin.projects('POST', `/${project.id}/regenerate-api-key`, { keyId }),
    ])
    expect([200, 409]).toContain(replaced.status)
    expect(await codeFor(added.body.apiKey)).toBe('INVALID_TOKEN')
  })

  test('a project whose key was revoked gets a working one by regenerating', async () => {
    const { project } = await admin.create()
    await admin.projects('DELETE', `/${project.id}/key`)
    const { apiKey } = (await admin.projects('POST', `/${project.id}/regenerate-api-key`)).body
    expect(await codeFor(apiKey)).toBe('INVALID_TOKEN')
  })

  test('of 10 regenerations in parallel exactly one key works, the one that the record names', async () => {
    const { project } = await admin.create()
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => admin.projects('POST', `/${project.id}/regenerate-api-key`)),
    )
    expect(replies.map(({ status }) => status)).toEqual(Array(10).fill(200))
    const keys = replies.map(({ body }) => body.apiKey as string)
    const codes = await Promise.all(keys.map(codeFor))
    const working = keys.filter((_, i) => codes[i] === 'INVALID_TOKEN')
    const { prefix } = (await admin.projects('GET', `/${project.id}/api-key`)).body
    expect(working.map((key) => key.slice(0, 12))).toEqual([prefix])
    // Ten entries, each naming the key that the previous one created.
    const prefixes = (await admin.audit(project.id)).slice(1).map(({ changes }) => changes?.['prefix'])
    expect(prefixes).toHaveLength(10)
    for (let i = 1; i < 10; i++) expect(prefixes[i]?.before).toBe(prefixes[i - 1]?.after)
    expect(prefixes.at(-1)?.after).toBe(prefix)
  })

  test('sessions of a project survive a new key', async () => {
    const project = await givenProject(world)
    const { token } = await givenSession(world, project)
    const { apiKey } = (await admin.projects('POST', `/${project.id}/regenerate-api-key`)).body
    expect((await validate(world, { ...project, key: apiKey }, token)).status).toBe(200)
  })
})
