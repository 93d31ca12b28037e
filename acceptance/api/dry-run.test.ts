import { demo } from '@rolecall/chat-sim'
import { beforeAll, expect, test } from 'vitest'
import {
  ask,
  describeWithMembers,
  givenProject,
  givenSession,
  logInAsAdmin,
  type Project,
  type Session,
  validate,
} from './service.ts'

const { mainGuildId: main, users } = demo

describeWithMembers('?dryRun=true', () => {
  let token: string
  let project: Project
  let sessions: Session[]
  beforeAll(async () => {
    token = await logInAsAdmin()
    project = await givenProject(token)
    sessions = [
      await givenSession(project, users.ada),
      await givenSession(project, users.joon),
      await givenSession(project, users.joon),
    ]
  })
  const admin = (method: string, path: string, body?: unknown) =>
    ask(method, `/api/admin/projects/${project.id}${path}`, { token, ...(body !== undefined && { body }) })
  const live = async () => {
    const replies = await Promise.all(sessions.map((session) => validate(project, session.token)))
    return replies.filter(({ status }) => status === 200).length
  }
  /** Returns only the entries of this test, because other tests add entries meanwhile. */
  const audited = async () => {
    const { body } = await ask('GET', '/api/admin/audit/logs?limit=500', { token })
    return body.data.filter(({ targetId }: { targetId: string }) => targetId === project.id).length
  }

  test('on PATCH and DELETE of a project, of a mapping and of the key: 200, what it would end, and nothing is changed', async () => {
    const before = await audited()
    const all = { dryRun: true, sessionsEnded: 3, membersAffected: 2 }
    for (const [method, path, body] of [
      ['PATCH', '', { isActive: false }],
      ['DELETE', '', undefined],
      ['DELETE', '/key', undefined],
      ['DELETE', `/servers/${main}`, undefined],
      ['PUT', `/servers/${main}`, { operations: { READ: false } }],
    ] as const) {
      const { status, body: told, text } = await admin(method, `${path}?dryRun=true`, body)
      expect(status, text).toBe(200)
      expect(told, `${method} ${path}`).toMatchObject(all)
    }
    const { body: none } = await admin('PATCH', '?dryRun=true', { description: 'Other words' })
    expect(none).toMatchObject({ dryRun: true, sessionsEnded: 0, membersAffected: 0 })
    expect(await live()).toBe(3)
    expect(await audited()).toBe(before)
  })

  test('on PATCH and DELETE of a server and of a webhook: 200, and nothing is changed', async () => {
    const webhook = await admin('POST', '/inbound-webhooks', { name: 'Form', schema: {} })
    const path = `/inbound-webhooks/${webhook.body.id}`
    const submitted = await ask('POST', `/api/inbound-webhooks/${webhook.body.id}/submit`, {
      key: project.key,
      body: {},
    })
    expect(submitted.status).toBe(201)
    const changed = await admin('PATCH', `${path}?dryRun=true`, { isActive: false })
    expect(changed.body).toMatchObject({ dryRun: true, sessionsEnded: 0 })
    expect((await admin('DELETE', `${path}?dryRun=true`)).body).toMatchObject({ submissionsDeleted: 1 })
    expect((await admin('GET', path)).body).toMatchObject({ isActive: true, submissionCount: 1 })

    const server = `/api/admin/servers/${main}?dryRun=true`
    const flag = await ask('PATCH', server, { token, body: { isMain: false } })
    expect(flag.body).toMatchObject({ dryRun: true })
    expect((await ask('DELETE', server, { token })).body.code).toBe('MAIN_SERVER_REQUIRED')
    const { body } = await ask('GET', '/api/admin/servers', { token })
    expect(body.data.find(({ id }: { id: string }) => id === main).isMain).toBe(true)
  })

  test('the change then ends what the dry run told; other values are 400', async () => {
    for (const value of ['', '1', 'yes']) expect((await admin('DELETE', `?dryRun=${value}`)).status).toBe(400)
    const { body: told } = await admin('DELETE', '?dryRun=true')
    const before = await live()
    expect((await admin('DELETE', '?dryRun=false')).status).toBe(204)
    expect(before - (await live())).toBe(told.sessionsEnded)
  })
})
