import { demo } from '@rolecall/chat-sim'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Administration, givenAdministration } from '../../../test/administration.ts'
import { call } from '../../../test/client.ts'
import {
  authorizePath,
  type GivenProject,
  givenProject,
  givenSession,
  validate,
} from '../../../test/given.ts'
import { repeats } from '../../../test/repeats.ts'
import type { Service } from '../../../test/service.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'

/** A cache lifetime that is long enough to show if a decision waited for it. */
const longLived = { PROJECT_AUTH_TTL_MS: '86400000', PROJECT_ACCESS_TTL_MS: '86400000' }

describe('two instances on one PostgreSQL', () => {
  const world = worldForTests('postgres', longLived)
  let other: Service
  let admin: Administration
  beforeAll(async () => {
    other = await world.another()
    admin = await givenAdministration(world)
  })

  const codeAt = async (where: { url: string }, project: GivenProject, token: string) => {
    const reply = await validate(where, project, token)
    return reply.status === 200 ? 'OK' : reply.body.code
  }

  const ends: [string, string, string, object | undefined, string][] = [
    ['revoking the key', 'DELETE', '/key', undefined, 'INVALID_API_KEY'],
    ['a new key', 'POST', '/regenerate-api-key', undefined, 'INVALID_API_KEY'],
    ['deactivating the project', 'PATCH', '', { isActive: false }, 'PROJECT_INACTIVE'],
    ['deleting the project', 'DELETE', '', undefined, 'INVALID_API_KEY'],
    ['revoking the access', 'DELETE', `/servers/${demo.mainGuildId}`, undefined, 'INVALID_TOKEN'],
  ]

  test.each(ends)(
    '%s on one is in force on the other for the next request',
    async (_, method, path, body, code) => {
      for (let round = 0; round < repeats(20); round++) {
        const project = await givenProject(world)
        const { token } = await givenSession(world, project)
        // Fills the caches of both instances with this key and session.
        for (const where of [world, other, world, other])
          expect(await codeAt(where, project, token)).toBe('OK')
        const [here, there] = round % 2 === 0 ? [world, other] : [other, world]
        const reply = await admin.projects(method, `/${project.id}${path}`, body, here.url)
        expect(reply.status).toBeLessThan(300)
        expect(await codeAt(there, project, token)).toBe(code)
        expect(await codeAt(here, project, token)).toBe(code)
      }
    },
  )

  test('revoking the access ends logins on the other instance too', async () => {
    const project = await givenProject(world)
    const authorize = async () => (await call(other.url, 'GET', authorizePath(project.id))).status
    expect(await authorize()).toBe(302)
    await admin.projects('DELETE', `/${project.id}/servers/${demo.mainGuildId}`)
    expect(await authorize()).toBe(403)
  })

  test('a key that was unknown a moment ago works on the other instance as soon as it is answered', async () => {
    const { project, apiKey } = await admin.create()
    const works = async (key: string) =>
      (await call(other.url, 'POST', '/api/auth/validate', { key, body: { token: 'x' } })).body.code
    expect(await works(apiKey)).toBe('INVALID_TOKEN')
    for (let round = 0; round < 5; round++) {
      const { apiKey: next } = (await admin.projects('POST', `/${project.id}/regenerate-api-key`)).body
      expect(await works(next)).toBe('INVALID_TOKEN')
    }
  })

  test('no request under way lets a key outlive its revocation', async () => {
    const project = await givenProject(world)
    const { token } = await givenSession(world, project)
    let isRevoked = false
    const late: string[] = []
    const lane = async (where: { url: string }) => {
      for (let asked = 0; asked < 200; asked++) {
        const wasRevoked = isRevoked
        const code = await codeAt(where, project, token)
        if (wasRevoked) late.push(code)
        if (late.length > 20) return
      }
    }
    const lanes = [world, other, world, other].map(lane)
    await admin.projects('DELETE', `/${project.id}/key`)
    isRevoked = true
    await Promise.all(lanes)
    expect(new Set(late)).toEqual(new Set(['INVALID_API_KEY']))
  })
})

describe('two admins at once', () => {
  const world = worldForTests('postgres')
  let other: Service
  let admin: Administration
  beforeAll(async () => {
    other = await world.another()
    admin = await givenAdministration(world)
  })

  const both = (method: string, path: string, bodies: readonly (object | undefined)[]) =>
    Promise.all(bodies.map((body, i) => admin.projects(method, path, body, [world, other][i % 2]?.url)))

  /**
   * Expects each entry to start where the previous one ended, so that no entry reports a change that did not happen.
   */
  const expectChain = (
    changes: ({ before: unknown; after: unknown } | undefined)[],
    start: unknown,
    end: unknown,
  ) => {
    let state = start
    for (const change of changes) {
      expect(change?.before).toEqual(state)
      state = change?.after
    }
    expect(state).toEqual(end)
  }

  test('renaming one project leave one name and entries that follow from each other', async () => {
    for (let round = 0; round < repeats(10); round++) {
      const { project } = await admin.create()
      const names = [0, 1, 2, 3].map((i) => `${project.name} to ${i}`)
      const replies = await both(
        'PATCH',
        `/${project.id}`,
        names.map((name) => ({ name })),
      )
      expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200])
      const { name } = (await admin.projects('GET', `/${project.id}`)).body
      const entries = (await admin.audit(project.id)).slice(1)
      expect(entries).toHaveLength(4)
      expectChain(
        entries.map(({ changes }) => changes?.['name']),
        project.name,
        name,
      )
    }
  })

  test('changing different fields lose neither', async () => {
    for (let round = 0; round < repeats(10); round++) {
      const { project } = await admin.create()
      await both('PATCH', `/${project.id}`, [
        { description: 'Set' },
        { isActive: false },
        { isInternal: true },
      ])
      expect((await admin.projects('GET', `/${project.id}`)).body).toMatchObject({
        description: 'Set',
        isActive: false,
        isInternal: true,
      })
    }
  })

  test('taking one name: the database gives it to exactly one', async () => {
    for (let round = 0; round < repeats(10); round++) {
      const bodies = [0, 1, 2, 3].map((i) => ({ name: i % 2 ? `Wanted ${round}` : `WANTED ${round}` }))
      const statuses = (await both('POST', '', bodies)).map(({ status }) => status)
      expect(statuses.sort()).toEqual([201, 409, 409, 409])
      expect((await admin.projects('GET', `?name=wanted%20${round}`)).body.total).toBe(1)
    }
  })

  test('granting, changing and revoking access leave a trail and an audit log that tell the same true story', async () => {
    for (let round = 0; round < repeats(10); round++) {
      const { project } = await admin.create({ serverAccess: [] })
      const path = `/${project.id}/servers/${demo.mainGuildId}`
      await Promise.all([
        ...[[], ['read_members'], ['check_permissions']].map((scopes, i) =>
          admin.projects('PUT', path, { scopes }, [world, other][i % 2]?.url),
        ),
        admin.projects('DELETE', path, undefined, other.url),
      ])
      const { data } = (await admin.projects('GET', `/access/audit?projectId=${project.id}`)).body
      const told = [...data].reverse()
      const mapping = (await admin.projects('GET', `/${project.id}/servers`)).body.data[0]
      const end = mapping ? { operations: mapping.operations, scopes: mapping.scopes } : null
      expectChain(told, null, end)
      const entries = (await admin.audit(project.id)).slice(1)
      expect(entries.map(({ changes }) => changes?.[`server ${demo.mainGuildId}`])).toEqual(
        told.map(({ before, after }) => ({ before, after })),
      )
    }
  })

  test('revoking and restoring a key, over and over, leave entries that alternate', async () => {
    const { project } = await admin.create()
    await Promise.all([
      ...Array.from({ length: 6 }, () => admin.projects('DELETE', `/${project.id}/key`)),
      ...Array.from({ length: 6 }, () =>
        admin.projects('POST', `/${project.id}/restore-key`, undefined, other.url),
      ),
    ])
    const { status } = (await admin.projects('GET', `/${project.id}/api-key`)).body
    const told = (await admin.audit(project.id)).slice(1).map(({ action }) => action)
    for (const [i, action] of told.entries()) expect(action).toBe(i % 2 ? 'key.restore' : 'key.revoke')
    expect(status).toBe(told.length % 2 ? 'revoked' : 'active')
  })

  test('deleting a project while others change it: 404 or success, and nothing after the deletion', async () => {
    for (let round = 0; round < repeats(10); round++) {
      const { project } = await admin.create()
      const replies = await Promise.all([
        admin.projects('DELETE', `/${project.id}`),
        admin.projects('DELETE', `/${project.id}`, undefined, other.url),
        admin.projects('PUT', `/${project.id}/servers/${demo.mainGuildId}`, { scopes: [] }, other.url),
        admin.projects('POST', `/${project.id}/regenerate-api-key`, undefined, other.url),
        admin.projects('PATCH', `/${project.id}/redirect-uri`, { redirectUri: 'https://a.example/' }),
      ])
      for (const { status } of replies) expect([200, 204, 404]).toContain(status)
      expect(
        replies
          .slice(0, 2)
          .map(({ status }) => status)
          .sort(),
      ).toEqual([204, 404])
      expect((await admin.audit(project.id)).at(-1)?.action).toBe('project.delete')
    }
  })
})
