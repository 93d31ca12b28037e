import { demo } from '@rolecall/chat-sim'
import { beforeAll, expect, test } from 'vitest'
import { ask, describeWithMembers, givenProject, logInAsAdmin } from './service.ts'

interface Entry {
  readonly at: string
  readonly actorId: string
  readonly actionType: string
  readonly severity: string
  readonly targetId: string
}

describeWithMembers('the audit log', () => {
  let token: string
  let projectId: string
  let began: string
  beforeAll(async () => {
    token = await logInAsAdmin()
    began = new Date(Date.now() - 5_000).toISOString()
    projectId = (await givenProject(token)).id
  })
  const logs = (query: string) => ask('GET', `/api/admin/audit/logs${query}`, { token })
  const entries = async (query: string): Promise<Entry[]> => {
    const { status, text, body } = await logs(query)
    expect(status, text).toBe(200)
    return body.data
  }

  test('GET /api/admin/audit/logs: 200 with what admins did, newest first, 50 unless asked otherwise', async () => {
    const { body } = await logs('')
    expect([body.limit, body.offset]).toEqual([50, 0])
    expect(body.data.length).toBeLessThanOrEqual(50)
    const times = body.data.map(({ at }: Entry) => at)
    expect(times).toEqual(times.toSorted().toReversed())
    expect(body.data).toContainEqual(
      expect.objectContaining({ targetId: projectId, actorId: demo.users.mara, actionType: 'project' }),
    )
  })

  test('is narrowed by date, actor, type and severity, each alone and together', async () => {
    const query = `?dateFrom=${began}&actorId=${demo.users.mara}&actionType=project&severity=info`
    const found = await entries(query)
    expect(found.map(({ targetId }) => targetId)).toContain(projectId)
    for (const { at, actorId, actionType, severity } of found) {
      expect([at >= began, actorId, actionType, severity]).toEqual([true, demo.users.mara, 'project', 'info'])
    }
    expect(await entries(`?dateTo=${began}&dateFrom=${began}&actionType=project`)).toEqual([])
    expect(await entries(`?dateFrom=${began}&severity=error&actionType=project`)).toEqual([])
  })

  test('limit is 1 to 500 and offset 0 or more; other values of any filter are 400', async () => {
    // Other tests write entries meanwhile.
    const before = `dateTo=${new Date().toISOString()}`
    const [first, second] = await entries(`?limit=2&${before}`)
    expect(await entries(`?limit=1&offset=1&${before}`)).toEqual([second])
    expect(await entries(`?limit=1&${before}`)).toEqual([first])
    await entries('?limit=500')
    for (const wrong of [
      'limit=0',
      'limit=501',
      'offset=-1',
      'actionType=x',
      'severity=x',
      'dateFrom=x',
      'actorId=x',
    ]) {
      expect((await logs(`?${wrong}`)).status, wrong).toBe(400)
      expect((await logs(`/export?${wrong}`)).status, wrong).toBe(400)
    }
  })

  test('GET /api/admin/audit/logs/export: 200, the same filters, as a CSV file', async () => {
    const { status, headers, text } = await logs(`/export?dateFrom=${began}&actionType=project`)
    expect([status, headers.get('content-type')]).toEqual([200, expect.stringMatching(/^text\/csv/)])
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename="[\w-]+\.csv"$/)
    expect(text).toContain(projectId)
    expect((await logs(`/export?dateFrom=${began}&severity=error&actionType=project`)).text).not.toContain(
      projectId,
    )
  })
})
