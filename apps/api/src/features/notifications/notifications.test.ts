import { demo } from '@rolecall/chat-sim'
import { beforeAll, describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { mainEngines } from '../../../test/databases.ts'
import { givenProject } from '../../../test/given.ts'
import { arrived, arrivedIds, givenChannel, writtenIds } from '../../../test/given-channel.ts'
import { givenWebhook, submit } from '../../../test/given-webhook.ts'
import { adminForTests, worldForTests } from '../../../test/world-for-tests.ts'
import { sql } from '../../platform/db/sql.ts'

describe.each(mainEngines)('notifications on %s', (engine) => {
  const world = worldForTests(engine)
  const administrator = adminForTests(world)
  beforeAll(async () => {
    world.service.deps.deliveries.start()
  })

  const admin = async (method: string, path: string, body?: unknown) => {
    const reply = await call(world.url, method, `/api/admin/projects/${path}`, {
      ...administrator,
      ...(body !== undefined && { body }),
    })
    expect(reply.status, reply.text).toBeLessThan(300)
    return reply.body
  }
  const access = { operations: { SEND_MESSAGES: true } }

  test('each change that is to be told arrives, once, in the order in which it was made', async () => {
    const project = await givenChannel(world, { serverIds: [] })
    const webhook = await givenWebhook(world, project)
    const server = `${project.id}/servers/${demo.mainGuildId}`
    await admin('DELETE', `${project.id}/key`)
    await admin('POST', `${project.id}/restore-key`)
    expect((await submit(world, project, webhook.id, { body: { name: 'Ada' } })).status).toBe(201)
    await admin('PUT', server, access)
    await admin('PUT', server, { scopes: [] })
    await admin('DELETE', server)
    await admin('POST', `${project.id}/regenerate-api-key`)
    await admin('PATCH', project.id, { isActive: false, description: 'Closed.' })
    await expect
      .poll(() => arrived(world, project).map(({ title }) => title))
      .toEqual([
        'API key revoked',
        'API key restored',
        'Submission received',
        'Server access granted',
        'Server access changed',
        'Server access revoked',
        'API key replaced',
        'Project deactivated',
      ])
    expect(arrivedIds(world, project)).toEqual(await writtenIds(world, project))
  })

  test('a message states the change, its author, its time, and the project, and mentions no member', async () => {
    const project = await givenChannel(world, { name: '@everyone [Click](https://evil.example) <@1>' })
    await admin('DELETE', `${project.id}/key`)
    await expect.poll(() => arrived(world, project)).toHaveLength(1)
    const body = world.sim.inbox.messages(project.webhookId)[0]?.body
    const embed = body?.embeds?.[0]
    expect(body?.allowed_mentions).toEqual({ parse: [] })
    expect(embed?.description).toBe(
      'The API key of @everyone \\[Click\\]\\(https:\\//evil.example\\) \\<@1\\> was revoked. By mara.lind.',
    )
    expect(embed?.footer?.text).toContain('@everyone [Click](https://evil.example) <@1> · ')
    const [row] = await world.service.deps.db.query<{ at: Date }>(
      sql`select created_at as at from deliveries where kind = 'notice' and project_id = ${project.id}`,
    )
    expect(Date.parse(embed?.timestamp ?? '')).toBe(row?.at.getTime())
  })

  test('no message holds a key, a token, an address of a client or what was submitted', async () => {
    const project = await givenChannel(world)
    const webhook = await givenWebhook(world, project)
    await submit(world, project, webhook.id, { body: { name: 'a payload of no business' } })
    const { apiKey } = await admin('POST', `${project.id}/regenerate-api-key`)
    await expect.poll(() => arrived(world, project)).toHaveLength(2)
    const said = JSON.stringify(arrived(world, project))
    for (const secret of [
      apiKey,
      project.key,
      webhook.secret,
      'no business',
      '127.0.0.1',
      project.webhookUrl,
    ]) {
      expect(said).not.toContain(secret)
    }
  })

  test('changes of access are told where SEND_MESSAGES is granted, before or after', async () => {
    const project = await givenChannel(world, { serverIds: [] })
    const server = `${project.id}/servers/${demo.mainGuildId}`
    await admin('PUT', server, {})
    await admin('PUT', server, { scopes: [] })
    await admin('PUT', server, access)
    await admin('PUT', server, { operations: { SEND_MESSAGES: false } })
    await admin('DELETE', server)
    await admin('DELETE', `${project.id}/key`)
    await expect
      .poll(() => arrived(world, project).map(({ title }) => title))
      .toEqual(['Server access changed', 'Server access changed', 'API key revoked'])
  })

  test('what changes nothing, is refused or is not to be told writes no notification', async () => {
    const project = await givenChannel(world)
    await admin('PATCH', project.id, { description: 'Other.', isActive: true })
    await admin('PATCH', `${project.id}/redirect-uri`, { redirectUri: 'https://site.example/other' })
    const refused = await call(
      world.url,
      'POST',
      `/api/admin/projects/${project.id}/restore-key`,
      administrator,
    )
    expect(refused.status).toBe(409)
    await admin('DELETE', `${project.id}/key`)
    await admin('DELETE', `${project.id}/key`)
    expect(await writtenIds(world, project)).toHaveLength(1)
    await admin('PATCH', project.id, { isActive: false })
    await admin('PATCH', project.id, { isActive: false, description: 'Still.' })
    expect(await writtenIds(world, project)).toHaveLength(2)
  })

  test('a project without an address, or a deleted one, has no notifications', async () => {
    const silent = await givenProject(world)
    const webhook = await givenWebhook(world, silent)
    await submit(world, silent, webhook.id, { body: { name: 'Ada' } })
    await admin('DELETE', `${silent.id}/key`)
    expect(await writtenIds(world, silent)).toEqual([])

    const deleted = await givenChannel(world)
    await admin('DELETE', deleted.id)
    expect(await writtenIds(world, deleted)).toEqual([])
  })

  test('a change that is rolled back sends no notice', async () => {
    const project = await givenChannel(world)
    const { db, audit } = world.service.deps
    const change = db.transaction(async (tx) => {
      await audit.record(tx, {
        actionType: 'project',
        action: 'key.revoke',
        target: { type: 'project', id: project.id, name: 'P' },
        summary: 'The key was revoked.',
      })
      throw new Error('changed its mind')
    })
    await expect(change).rejects.toThrow('changed its mind')
    expect(await writtenIds(world, project)).toEqual([])
  })

  test('a hundred submissions at once, by id and by slug, are told one by one, each under its own id', async () => {
    const project = await givenChannel(world)
    const { id, slug } = await givenWebhook(world, project)
    const send = (i: number) => submit(world, project, i % 2 ? id : slug, { body: { name: `N${i}` } })
    // Each name is known to the service before both are used at once.
    const replies = [await send(0), await send(1)]
    replies.push(...(await Promise.all(Array.from({ length: 98 }, (_, i) => send(i + 2)))))
    await expect.poll(() => arrivedIds(world, project).length).toBe(100)
    expect(arrivedIds(world, project).sort()).toEqual(replies.map(({ body }) => body.id).sort())
    expect(await writtenIds(world, project)).toHaveLength(100)
  })

  test('the same submission again is told once', async () => {
    const project = await givenChannel(world)
    const webhook = await givenWebhook(world, project)
    const options = { body: { name: 'Ada' }, headers: { 'idempotency-key': 'once' } }
    const first = await submit(world, project, webhook.id, options)
    const second = await submit(world, project, webhook.id, options)
    expect(second.body).toEqual(first.body)
    expect(await writtenIds(world, project)).toEqual([first.body.id])
  })
})
