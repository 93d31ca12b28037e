import { demo } from '@rolecall/chat-sim'
import { describe, expect, test } from 'vitest'
import { givenAdministration, hostileTexts } from '../../../test/administration.ts'
import { call } from '../../../test/client.ts'
import { mainEngines } from '../../../test/databases.ts'
import { authorizePath, givenProject, givenSession, validate } from '../../../test/given.ts'
import { madeForTests } from '../../../test/made-for-tests.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'

const unknownId = '018f3b1e-0000-7000-8000-000000000000'
const webhookUrl = `https://discord.com/api/webhooks/${demo.webhook.id}/${demo.webhook.token}`

describe.each(mainEngines)('projects on %s', (engine) => {
  const world = worldForTests(engine)
  const admin = madeForTests(() => givenAdministration(world))

  const keyWorks = async (key: string) => {
    const reply = await call(world.url, 'POST', '/api/auth/validate', { key, body: { token: 'x' } })
    return reply.body.code === 'INVALID_TOKEN'
  }

  describe('POST /api/admin/projects', () => {
    test('201 answers the record and the key, which works at once', async () => {
      const reply = await admin.projects('POST', '', { name: 'Library', description: 'Lends books' })
      expect(reply.status).toBe(201)
      const { project, apiKey } = reply.body
      expect(project).toMatchObject({
        name: 'Library',
        description: 'Lends books',
        isActive: true,
        isInternal: false,
        redirectUris: [],
        webhookUrl: null,
        apiKey: { prefix: apiKey.slice(0, 12), status: 'active', lastUsedAt: null, revokedAt: null },
      })
      expect(await keyWorks(apiKey)).toBe(true)
    })

    test('gives all scopes on the main server when serverAccess is left out, and none when it is empty', async () => {
      const { project } = (await admin.projects('POST', '', { name: 'Default access' })).body
      expect(project.serverAccess).toMatchObject([
        {
          projectId: project.id,
          serverId: demo.mainGuildId,
          isMainServer: true,
          operations: { READ: true, SEND_MESSAGES: false, MANAGE_WEBHOOKS: false },
          scopes: ['read_members', 'check_permissions'],
        },
      ])
      const none = (await admin.projects('POST', '', { name: 'No access', serverAccess: [] })).body
      expect(none.project.serverAccess).toEqual([])
    })

    test('takes the scopes that are named: all when left out, none when empty', async () => {
      const scopesOf = async (scopes: string[] | undefined) => {
        const { project } = await admin.create({
          serverAccess: [{ serverId: demo.mainGuildId, ...(scopes && { scopes }) }],
        })
        return (await admin.projects('GET', `/${project.id}`)).body.serverAccess[0].scopes
      }
      expect(await scopesOf(undefined)).toEqual(['read_members', 'check_permissions'])
      expect(await scopesOf(['check_permissions'])).toEqual(['check_permissions'])
      expect(await scopesOf([])).toEqual([])
    })

    test('400 lists every bad entry of serverAccess with the other problems, and leaves no project', async () => {
      const reply = await admin.projects('POST', '', {
        name: 'Half made',
        webhookUrl: `https://evil.example/api/webhooks/${demo.webhook.id}/token`,
        serverAccess: [
          { serverId: demo.mainGuildId },
          { serverId: demo.mainGuildId },
          { serverId: '12345678901234567' },
        ],
      })
      expect(reply.status).toBe(400)
      expect(reply.body.errors.map(({ path, code }: { path: string; code: string }) => [path, code])).toEqual(
        [
          ['/webhookUrl', 'WEBHOOK_URL'],
          ['/serverAccess/1/serverId', 'DUPLICATE'],
          ['/serverAccess/2/serverId', 'UNKNOWN_SERVER'],
        ],
      )
      expect((await admin.projects('GET', '?name=Half%20made')).body.total).toBe(0)
    })

    test.each<[string, object]>([
      ['no name', {}],
      ['an empty name', { name: '' }],
      ['a blank name', { name: ' \u00a0\u2003 ' }],
      ['a name of invisible characters', { name: '\u200b\u2060' }],
      ['a name with space around it', { name: ' Name ' }],
      ['a name with a line break', { name: 'two\nlines' }],
      ['a name with NUL', { name: 'a\0b' }],
      ['a name of a lone surrogate', { name: 'a\ud800' }],
      ['a name over 100 characters', { name: 'x'.repeat(101) }],
      ['a name that is no string', { name: ['Listed'] }],
      ['a flag that is no boolean', { name: 'Flag', isActive: 'true' }],
      ['an unknown key', { name: 'Extra', id: unknownId }],
      ['an unknown scope', { name: 'S', serverAccess: [{ serverId: demo.mainGuildId, scopes: ['write'] }] }],
      ['a server id that is none', { name: 'S', serverAccess: [{ serverId: '18446744073709551616' }] }],
      ['null for a list', { name: 'S', serverAccess: null }],
    ])('400 for %s', async (_, body) => {
      const reply = await admin.projects('POST', '', body)
      expect(reply.status).toBe(400)
      expect(reply.body.code).toBe('VALIDATION_FAILED')
    })

    test('409 for a name that differs only in case, also beyond ASCII; other names are free', async () => {
      await admin.create({ name: 'Ärzte und Ōkami' })
      const reply = await admin.projects('POST', '', { name: 'äRZTE UND ōKAMI' })
      expect([reply.status, reply.body.code]).toEqual([409, 'PROJECT_NAME_TAKEN'])
      await admin.create({ name: 'Ärzte und Ōkami 2' })
    })

    test('leaves one audit entry, without key and webhook address', async () => {
      const { project, apiKey } = await admin.create({ webhookUrl })
      const entries = await admin.audit(project.id)
      expect(entries).toMatchObject([{ action: 'project.create', actorId: demo.users.mara }])
      expect(JSON.stringify(entries)).not.toContain(apiKey)
      expect(JSON.stringify(entries)).not.toContain(demo.webhook.token)
    })

    test.each(hostileTexts)('keeps %j as it is', async (text) => {
      const name = `${text.slice(0, 60)} kept`
      const { project } = await admin.create({ name, description: text })
      const read = (await admin.projects('GET', `/${project.id}`)).body
      expect([read.name, read.description]).toEqual([name, text])
    })
  })

  describe('GET /api/admin/projects', () => {
    test('200 lists newest first with a total, and never a key or a webhook address', async () => {
      const first = await admin.create({ webhookUrl })
      const second = await admin.create()
      const reply = await admin.projects('GET', '')
      const ids = reply.body.data.map(({ id }: { id: string }) => id)
      expect(reply.body.total).toBe(ids.length)
      expect(ids.indexOf(second.project.id)).toBeLessThan(ids.indexOf(first.project.id))
      expect(reply.text).not.toContain(first.apiKey)
      expect(reply.text).not.toContain(demo.webhook.token)
    })

    test('filters by isActive, isInternal and part of the name in any case, together', async () => {
      await admin.create({ name: 'Filter One' })
      await admin.create({ name: 'filter two', isActive: false })
      await admin.create({ name: 'FILTER three', isInternal: true })
      const names = async (query: string) =>
        (await admin.projects('GET', query)).body.data.map(({ name }: { name: string }) => name)
      expect(await names('?name=fILTER')).toEqual(['FILTER three', 'filter two', 'Filter One'])
      expect(await names('?name=filter&isActive=false')).toEqual(['filter two'])
      expect(await names('?name=filter&isInternal=true')).toEqual(['FILTER three'])
      expect(await names('?name=filter&isActive=true&isInternal=false')).toEqual(['Filter One'])
      expect(await names('?name=filter&limit=1&offset=1')).toEqual(['filter two'])
      expect((await admin.projects('GET', '?name=filter&offset=1000')).body).toEqual({ data: [], total: 3 })
    })

    test.each(hostileTexts)('takes %j in the name for what it is', async (text) => {
      const name = `<${text.slice(0, 90)}>`
      await admin.create({ name })
      const { body, status } = await admin.projects('GET', `?name=${encodeURIComponent(name)}`)
      expect([status, body.total, body.data[0].name]).toEqual([200, 1, name])
      const other = await admin.projects('GET', `?name=${encodeURIComponent(`~${text.slice(0, 90)}~`)}`)
      expect([other.status, other.body.total]).toEqual([200, 0])
    })

    test.each([
      'isActive=1',
      'isActive=TRUE',
      'isActive=yes',
      'isActive=',
      'isActive=true&isActive=true',
      'isInternal=0',
      'name=a&name=b',
      'name=%00',
      `name=${'a'.repeat(101)}`,
      'isactive=true',
      'limit=0',
      'limit=501',
      'offset=-1',
      'offset=99999999999',
    ])('400 for ?%s', async (query) => {
      expect((await admin.projects('GET', `?${query}`)).status).toBe(400)
    })
  })

  describe('one project', () => {
    const all: [string, string, object?][] = [
      ['GET', ''],
      ['PATCH', '', {}],
      ['DELETE', ''],
      ['GET', '/api-key'],
      ['DELETE', '/key'],
      ['POST', '/restore-key'],
      ['POST', '/regenerate-api-key'],
      ['PATCH', '/redirect-uri', { redirectUri: 'https://a.example/' }],
    ]

    test.each(all)(
      '%s %s: 400 for an id that is no UUID, 404 for one of no project',
      async (method, path, body) => {
        for (const id of ['42', `${unknownId}0`, 'servers', '%00', "1'or'1"]) {
          expect((await admin.projects(method, `/${id}${path}`, body)).status, id).toBe(400)
        }
        const reply = await admin.projects(method, `/${unknownId}${path}`, body)
        expect([reply.status, reply.body.code]).toEqual([404, 'PROJECT_NOT_FOUND'])
      },
    )

    test.each(all)('%s %s: 404 once it is deleted', async (method, path, body) => {
      const { project } = await admin.create()
      await admin.projects('DELETE', `/${project.id}`)
      expect((await admin.projects(method, `/${project.id}${path}`, body)).status).toBe(404)
    })
  })

  describe('PATCH /api/admin/projects/{id}', () => {
    test('200 changes what is named and nothing else, with before and after in one audit entry', async () => {
      const { project } = await admin.create({ name: 'Before', description: 'Kept' })
      const reply = await admin.projects('PATCH', `/${project.id}`, { name: 'After', isInternal: true })
      expect(reply.status).toBe(200)
      expect(reply.body).toMatchObject({
        name: 'After',
        description: 'Kept',
        isInternal: true,
        isActive: true,
      })
      expect((await admin.audit(project.id)).slice(1)).toMatchObject([
        {
          action: 'project.update',
          changes: {
            name: { before: 'Before', after: 'After' },
            isInternal: { before: false, after: true },
          },
        },
      ])
    })

    test('null clears the description; an empty patch and the values that are there write nothing', async () => {
      const { project } = await admin.create({ description: 'Gone soon', webhookUrl })
      const path = `/${project.id}`
      const cleared = await admin.projects('PATCH', path, { description: null })
      expect(cleared.body.description).toBeNull()
      const same = { name: project.name, description: null, isActive: true, isInternal: false, webhookUrl }
      for (const patch of [{}, same]) {
        const reply = await admin.projects('PATCH', path, patch)
        expect([reply.status, reply.body.updatedAt]).toEqual([200, cleared.body.updatedAt])
      }
      expect(await admin.audit(project.id)).toHaveLength(2)
    })

    test('400 writes none of a patch that is bad in part', async () => {
      const { project } = await admin.create({ name: 'Untouched' })
      for (const patch of [
        { name: 'Touched', isActive: 'no' },
        { name: 'Touched', apiKeyHash: 'x' },
        { name: ' ' },
      ]) {
        expect((await admin.projects('PATCH', `/${project.id}`, patch)).status).toBe(400)
      }
      expect((await admin.projects('GET', `/${project.id}`)).body.name).toBe('Untouched')
      expect(await admin.audit(project.id)).toHaveLength(1)
    })

    test('409 for the name of another project; the own name in other letters is fine', async () => {
      await admin.create({ name: 'Taken' })
      const { project } = await admin.create({ name: 'Mine' })
      const reply = await admin.projects('PATCH', `/${project.id}`, { name: 'TAKEN' })
      expect([reply.status, reply.body.code]).toEqual([409, 'PROJECT_NAME_TAKEN'])
      expect((await admin.projects('PATCH', `/${project.id}`, { name: 'MINE' })).status).toBe(200)
    })

    test('an inactive project is refused everywhere at once, and works again when it is active', async () => {
      const project = await givenProject(world)
      const { token } = await givenSession(world, project)
      await admin.projects('PATCH', `/${project.id}`, { isActive: false })
      const refused = await validate(world, project, token)
      expect([refused.status, refused.body.code]).toEqual([401, 'PROJECT_INACTIVE'])
      expect((await call(world.url, 'GET', authorizePath(project.id))).status).toBe(403)
      expect((await call(world.url, 'GET', '/api/auth/sessions', { token })).status).toBe(401)
      await admin.projects('PATCH', `/${project.id}`, { isActive: true })
      // Its backends were notified of the end, so no session returns.
      expect((await validate(world, project, token)).body.code).toBe('INVALID_TOKEN')
      expect((await call(world.url, 'GET', '/api/auth/sessions', { token })).status).toBe(401)
      const again = await givenSession(world, project)
      expect((await validate(world, project, again.token)).status).toBe(200)
    })
  })

  describe('DELETE /api/admin/projects/{id}', () => {
    test('204 ends key, sessions and logins at once, frees the name and keeps the audit history', async () => {
      const project = await givenProject(world, { name: 'Short-lived' })
      const { token } = await givenSession(world, project)
      expect((await validate(world, project, token)).status).toBe(200)
      expect((await admin.projects('DELETE', `/${project.id}`)).status).toBe(204)

      const refused = await validate(world, project, token)
      expect([refused.status, refused.body.code]).toEqual([401, 'INVALID_API_KEY'])
      expect((await call(world.url, 'GET', '/api/auth/sessions', { token })).status).toBe(401)
      expect((await call(world.url, 'GET', authorizePath(project.id))).status).toBe(400)
      expect((await admin.projects('GET', '?name=short-lived')).body.total).toBe(0)
      expect((await admin.projects('GET', '/access/matrix?projectName=short-lived')).body.total).toBe(0)
      await admin.create({ name: 'SHORT-LIVED' })
      expect((await admin.audit(project.id)).map(({ action }) => action)).toEqual([
        'project.create',
        'access.grant',
        'project.delete',
      ])
    })
  })
})
