import { demo } from '@rolecall/chat-sim'
import { beforeAll, expect, test } from 'vitest'
import {
  ask,
  authorizePath,
  Browser,
  describeWithMembers,
  exchange,
  givenCode,
  givenProject,
  givenSession,
  logInAsAdmin,
  type Project,
  uniqueName,
  validate,
} from './service.ts'

describeWithMembers('of a member', () => {
  let token: string
  let project: Project
  const { rosa } = demo.users
  const member = (method: string, path: string, body?: object) =>
    ask(method, `/api/admin/members/${path}`, { token, ...(body && { body }) })

  const name = uniqueName('People')
  beforeAll(async () => {
    token = await logInAsAdmin()
    project = await givenProject(token, { name })
    await member('DELETE', `${rosa}/block`)
  })

  test('their sessions are listed with project and browser, ended one by one, and ended all', async () => {
    const [first, second] = [await givenSession(project, rosa), await givenSession(project, rosa)]
    const { id } = (await validate(project, first.token)).body.session
    const { sessions } = (await member('GET', `${rosa}/sessions`)).body
    expect(sessions).toContainEqual(
      expect.objectContaining({
        id,
        kind: 'project',
        projectId: project.id,
        projectName: name,
        clientInfo: { ipAddress: expect.any(String), userAgent: expect.any(String) },
      }),
    )
    expect((await member('DELETE', `${rosa}/sessions/${id}`)).status).toBe(204)
    expect((await validate(project, first.token)).status).toBe(401)
    expect((await validate(project, second.token)).status).toBe(200)
    expect((await member('DELETE', `${rosa}/sessions/${id}`)).body.code).toBe('SESSION_NOT_FOUND')
    expect((await member('DELETE', `${rosa}/sessions`)).status).toBe(204)
    expect((await validate(project, second.token)).status).toBe(401)
    expect((await member('GET', `${rosa}/sessions`)).body.sessions).toEqual([])
    const { data } = (await member('GET', `${rosa}/history?limit=2`)).body
    const signedIn = { kind: 'signed_in', role: null, project: { id: project.id, name } }
    expect(data).toEqual([expect.objectContaining(signedIn), expect.objectContaining(signedIn)])
  })

  test('a block ends every session, refuses the login and the code of one, and is seen; ending it lets them in again', async () => {
    const session = await givenSession(project, rosa)
    const code = await givenCode(project, rosa)
    const put = await member('PUT', `${rosa}/block`, { reason: 'Acceptance' })
    expect(put.status, put.text).toBe(200)
    expect(put.body).toMatchObject({ memberId: rosa, reason: 'Acceptance', until: null })
    expect((await validate(project, session.token)).status).toBe(401)
    expect((await exchange(project, code)).body.code).toBe('MEMBER_BLOCKED')
    const end = await new Browser().logIn(authorizePath(project.id), rosa)
    expect(end.searchParams.get('error')).toBe('access_denied')
    expect(end.href).not.toContain('Acceptance')
    expect((await member('GET', `${rosa}/servers`)).body).toMatchObject({
      blocked: true,
      block: { reason: 'Acceptance' },
    })
    expect((await member('DELETE', `${rosa}/block`)).status).toBe(204)
    expect((await validate(project, session.token)).status).toBe(401)
    expect((await validate(project, (await givenSession(project, rosa)).token)).status).toBe(200)
  })

  test('what is kept about them is one file, and gone after an erasure, from the audit log too; they may come back as new', async () => {
    const { tomas } = demo.users
    const session = await givenSession(project, tomas)
    expect((await member('PUT', `${tomas}/block`, { reason: 'Acceptance' })).status).toBe(200)
    expect((await member('DELETE', `${tomas}/block`)).status).toBe(204)
    const file = await member('GET', `${tomas}/data`)
    expect(file.headers.get('content-disposition')).toMatch(/^attachment; filename="member-/)
    expect(file.body).toMatchObject({ memberId: tomas, profile: { username: expect.any(String) } })
    expect(file.body.sessions).toContainEqual(expect.objectContaining({ projectId: project.id }))
    const named = async () => {
      const { data } = (await ask('GET', '/api/admin/audit/logs?limit=500', { token })).body
      return data.filter(({ targetId }: { targetId: string | null }) => targetId === tomas).length
    }
    expect(await named()).toBeGreaterThanOrEqual(3)

    expect((await member('DELETE', tomas)).status).toBe(204)
    expect((await member('GET', `${tomas}/data`)).body.code).toBe('MEMBER_NOT_FOUND')
    expect((await validate(project, session.token)).status).toBe(401)
    expect(await named()).toBe(0)
    expect((await validate(project, (await givenSession(project, tomas)).token)).status).toBe(200)
  })

  test('404 for who is not known, 409 for the admin who asks, 400 for an end that has passed', async () => {
    const body = { reason: 'Acceptance' }
    expect((await member('PUT', '99999999999999999/block', body)).status).toBe(404)
    expect((await member('GET', '99999999999999999/sessions')).status).toBe(404)
    expect((await member('PUT', `${demo.users.mara}/block`, body)).status).toBe(409)
    expect((await member('DELETE', demo.users.mara)).status).toBe(409)
    expect((await member('DELETE', '99999999999999999')).status).toBe(404)
    const past = await member('PUT', `${rosa}/block`, { ...body, until: '2020-01-01T00:00:00Z' })
    expect(past.status).toBe(400)
  })
})
