import { demo } from '@rolecall/chat-sim'
import { beforeAll, expect, test } from 'vitest'
import {
  ask,
  authorizePath,
  Browser,
  describeWithMembers,
  givenProject,
  givenSession,
  logInAsAdmin,
  type Project,
  redirectUri,
  validate,
} from './service.ts'

const { users, roles } = demo

describeWithMembers('POST /api/admin/explain', () => {
  let token: string
  let project: Project
  beforeAll(async () => {
    token = await logInAsAdmin()
    project = await givenProject(token)
  })
  const explain = async (body: object) => {
    const reply = await ask('POST', '/api/admin/explain', { token, body })
    expect(reply.status, reply.text).toBe(200)
    return reply.body
  }
  const about = (memberId: string, more: object = {}) =>
    explain({ projectId: project.id, memberId, redirectUri, ...more })

  test('200: allowed, with every step and the roles that validate answers', async () => {
    const { outcome, code, steps, roles: held } = await about(users.ada)
    expect({ outcome, code }).toEqual({ outcome: 'allowed', code: null })
    expect(steps.length).toBeGreaterThan(10)
    for (const step of steps) {
      expect(step).toEqual({ check: expect.any(String), ok: true, detail: expect.any(String), mend: null })
    }
    const { token: session } = await givenSession(project, users.ada)
    expect(held).toEqual((await validate(project, session)).body.roles)
  })

  test('200: refused, with the code of the refusal that a login meets, and how to mend it', async () => {
    const elsewhere = { redirectUri: 'https://elsewhere.example/' }
    const begun = await ask('GET', authorizePath(project.id, { redirect_uri: elsewhere.redirectUri }))
    expect((await about(users.ada, elsewhere)).code).toBe(begun.body.code)

    const end = await new Browser().logIn(authorizePath(project.id), users.emil)
    const { outcome, code, steps } = await about(users.emil)
    expect({ outcome, code }).toEqual({ outcome: 'refused', code: end.searchParams.get('error') })
    const failed = steps.filter(({ ok }: { ok: boolean }) => !ok)
    expect(failed).toEqual([expect.objectContaining({ mend: expect.stringMatching(/join/) })])
  })

  test('assume tries a change without making it; anyOf and allOf ask for roles', async () => {
    const captain = { allOf: [roles.captain] }
    expect((await about(users.ada, captain)).code).toBe('ROLE_REQUIRED')
    const promoted = { ...captain, assume: { addRoleIds: [roles.captain] } }
    expect((await about(users.ada, promoted)).outcome).toBe('allowed')
    expect((await about(users.emil, { assume: { isMember: true } })).outcome).toBe('allowed')
    expect((await about(users.ada, { assume: { isMember: false } })).code).toBe('access_denied')
    expect((await about(users.ada, captain)).code).toBe('ROLE_REQUIRED')
  })

  test('400 for a body that is not whole, 401 and 403 for everybody but a System Admin', async () => {
    const body = { projectId: project.id, memberId: users.ada }
    const refused = async (sent: object, as?: string) =>
      (await ask('POST', '/api/admin/explain', { body: sent, token: as })).status
    expect(await refused({ memberId: users.ada }, token)).toBe(400)
    expect(await refused({ ...body, assume: { roles: [] } }, token)).toBe(400)
    expect(await refused(body)).toBe(401)
    expect(await refused(body, (await givenSession(project)).token)).toBe(403)
  })
})
