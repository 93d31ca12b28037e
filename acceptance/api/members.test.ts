import { demo } from '@rolecall/chat-sim'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { ask, describeWithMembers, logInAsAdmin } from './service.ts'

interface Member {
  readonly memberId: string
  readonly username: string
  readonly isClubMember: boolean
  readonly servers: readonly { readonly serverId: string; readonly roleNames: readonly string[] }[]
}

describeWithMembers('members', () => {
  let token: string
  beforeAll(async () => {
    token = await logInAsAdmin()
    for (const id of [demo.mainGuildId, demo.gamesGuildId]) await readIn(id)
  })
  const admin = (path: string) => ask('GET', `/api/admin/members${path}`, { token })

  /** Registers the server if necessary, and waits until its members have been read. */
  const readIn = async (id: string) => {
    await ask('POST', '/api/admin/servers', { token, body: { id } })
    const sync = await ask('POST', `/api/admin/servers/${id}/sync`, { token })
    expect([202, 409], sync.text).toContain(sync.status)
    const read = async () => {
      const { body } = await ask('GET', '/api/admin/servers', { token })
      return body.data.find((one: { id: string }) => one.id === id).lastSync?.status
    }
    await vi.waitFor(async () => expect(await read()).toBe('succeeded'), { timeout: 30_000, interval: 100 })
  }
  const list = async (path: string): Promise<Member[]> => {
    const { status, text, body } = await admin(path)
    expect(status, text).toBe(200)
    return body.data
  }
  const idsOf = (members: readonly Member[]) => members.map(({ memberId }) => memberId)

  describe.each(['', '/cross-server'])('GET /api/admin/members%s', (path) => {
    test('200: a page of members with their servers, 20 from the first unless asked otherwise', async () => {
      const { body } = await admin(path)
      expect(body).toMatchObject({ page: 1, limit: 20, totalPages: Math.ceil(body.total / 20) })
      expect(body.data.length).toBe(Math.min(20, body.total))
      const [mara] = await list(`${path}?search=mara`)
      expect(mara).toMatchObject({ memberId: demo.users.mara, isClubMember: true, serverCount: 2 })
      expect(mara?.servers).toContainEqual(
        expect.objectContaining({
          serverId: demo.mainGuildId,
          isMainServer: true,
          roleNames: expect.arrayContaining(['Steward']),
        }),
      )
      const second = await list(`${path}?limit=5&page=2`)
      expect(second).toEqual((await list(`${path}?limit=10`)).slice(5))
    })

    test('filter, serverId and roleId, repeated or by commas, and search narrow each other', async () => {
      const noor = demo.users.noor
      expect(idsOf(await list(`${path}?search=NOOR`))).toContain(noor)
      expect(idsOf(await list(`${path}?search=noor&filter=club`))).not.toContain(noor)
      const both = `${demo.mainGuildId},${demo.gamesGuildId}`
      expect(idsOf(await list(`${path}?search=noor&serverId=${both}`))).toContain(noor)
      expect(idsOf(await list(`${path}?search=noor&serverId=${demo.mainGuildId}`))).not.toContain(noor)
      const roles = `roleId=${demo.roles.steward}&roleId=${demo.gamesRoles.player}`
      const held = await list(`${path}?limit=100&${roles}`)
      expect(idsOf(held)).toContain(demo.users.mara)
      for (const { servers } of held) {
        expect(servers.flatMap(({ roleNames }) => roleNames)).toEqual(
          expect.arrayContaining([expect.stringMatching(/^(Steward|Player)$/)]),
        )
      }
    })

    test('400 for filters and pages that are none', async () => {
      for (const wrong of [
        'filter=x',
        'serverId=x',
        'roleId=x',
        'page=0',
        'limit=0',
        'limit=101',
        'limit=x',
        'x=1',
      ]) {
        expect((await admin(`${path}?${wrong}`)).status, wrong).toBe(400)
      }
    })
  })

  describe('GET /api/admin/members/export', () => {
    test('200: a file with one row for each membership, as JSON unless CSV is asked for', async () => {
      const json = await admin('/export?search=mara')
      expect(json.headers.get('content-type')).toMatch(/^application\/json/)
      expect(json.headers.get('content-disposition')).toMatch(/^attachment; filename=/)
      expect(json.body.map((row: { serverId: string }) => row.serverId).toSorted()).toEqual(
        [demo.mainGuildId, demo.gamesGuildId].toSorted(),
      )
      const csv = await admin(`/export?search=mara&format=csv&serverId=${demo.gamesGuildId}`)
      expect(csv.headers.get('content-type')).toMatch(/^text\/csv/)
      expect(csv.text.trim().split('\r\n')).toHaveLength(2)
      // A member matches if they have the role in any server. The response contains all memberships of these members.
      const byRole = await admin(`/export?search=mara&roleId=${demo.roles.steward}`)
      expect(byRole.body).toHaveLength(2)
    })

    test('400 for another format or filter', async () => {
      for (const wrong of ['format=xml', 'filter=x', 'page=1']) {
        expect((await admin(`/export?${wrong}`)).status, wrong).toBe(400)
      }
    })
  })

  describe('GET /api/admin/members/{chat_user_id}/servers', () => {
    test('200: the member with every server and their roles there', async () => {
      const { status, body } = await admin(`/${demo.users.mara}/servers`)
      expect(status).toBe(200)
      expect(body).toMatchObject({ memberId: demo.users.mara, isClubMember: true })
      expect(body.servers[0]).toMatchObject({ serverId: demo.mainGuildId, isMainServer: true })
      expect(body.servers[0].roles).toContainEqual(
        expect.objectContaining({ id: demo.roles.steward, name: 'Steward' }),
      )
      expect(body.servers).toHaveLength(2)
    })

    test('400 for a malformed ID, 404 for an unknown member', async () => {
      expect((await admin('/not-an-id/servers')).status).toBe(400)
      const { status, body } = await admin('/99999999999999999/servers')
      expect([status, body.code]).toEqual([404, 'MEMBER_NOT_FOUND'])
    })
  })
})
