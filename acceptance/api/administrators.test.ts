import { demo } from '@rolecall/chat-sim'
import { beforeAll, expect, test } from 'vitest'
import {
  ask,
  Browser,
  describeWithMembers,
  givenProject,
  logInAsAdmin,
  redirectUri,
  toggleRole,
} from './service.ts'

const adminLogin = '/api/auth/admin/login?return_to=/console/'

const logIn = async (member: string): Promise<string> => {
  const end = await new Browser().logIn(adminLogin, member)
  const code = new URLSearchParams(end.hash.slice(1)).get('code')
  return (await ask('POST', '/api/auth/admin/token', { body: { code } })).body.token
}

describeWithMembers('administrators who are no System Admin', () => {
  let admin: string
  beforeAll(async () => {
    admin = await logInAsAdmin()
  })

  test('an owner manages the own project, grants nothing, and sees no other', async () => {
    const [own, other] = [await givenProject(admin), await givenProject(admin)]
    const owners = { memberIds: [demo.users.piper] }
    const set = await ask('PATCH', `/api/admin/projects/${own.id}`, { token: admin, body: { owners } })
    expect(set.body.owners).toEqual({ roleIds: [], ...owners })
    const token = await logIn(demo.users.piper)
    const profile = await ask('GET', '/api/admin/profile', { token })
    expect(profile.body).toMatchObject({
      isSystemAdmin: false,
      isAuditor: false,
      ownedProjects: [{ id: own.id, name: expect.any(String) }],
    })
    const status = async (method: string, path: string, body?: unknown) =>
      (await ask(method, `/api/admin${path}`, { token, ...(body !== undefined && { body }) })).status
    expect(await status('GET', `/projects/${own.id}`)).toBe(200)
    expect(await status('PATCH', `/projects/${own.id}/redirect-uri`, { redirectUri })).toBe(200)
    expect(await status('POST', `/projects/${own.id}/rotate-events-secret`)).toBe(200)
    expect(await status('PATCH', `/projects/${own.id}`, { isInternal: true })).toBe(403)
    expect(await status('PATCH', `/projects/${own.id}`, { owners: {} })).toBe(403)
    expect(await status('PUT', `/projects/${own.id}/servers/${demo.mainGuildId}`, {})).toBe(403)
    expect(await status('GET', `/projects/${other.id}`)).toBe(403)
    expect(await status('GET', '/projects')).toBe(403)
    await ask('PATCH', `/api/admin/projects/${own.id}`, { token: admin, body: { owners: {} } })
    expect(await status('GET', `/projects/${own.id}`)).toBe(403)
  })

  test('an auditor reads everything and changes nothing', async () => {
    const { body } = await ask('GET', '/api/admin/settings', { token: admin })
    const auditorRole = body.administration.auditorRoleId.value
    await toggleRole(demo.users.layla, auditorRole)
    try {
      const token = await logIn(demo.users.layla)
      expect((await ask('GET', '/api/admin/profile', { token })).body).toMatchObject({ isAuditor: true })
      for (const path of ['projects', 'members', 'audit/logs', 'settings', 'monitoring/health'])
        expect((await ask('GET', `/api/admin/${path}`, { token })).status, path).toBe(200)
      const refused = await ask('POST', '/api/admin/projects', { token, body: { name: 'Not by an auditor' } })
      expect([refused.status, refused.body.code]).toEqual([403, 'NOT_SYSTEM_ADMIN'])
      expect((await ask('POST', '/api/admin/settings/reset', { token })).status).toBe(403)
    } finally {
      await toggleRole(demo.users.layla, auditorRole)
    }
  })
})
