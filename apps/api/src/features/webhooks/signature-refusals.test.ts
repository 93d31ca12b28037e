import { describe, expect, test } from 'vitest'
import { sql } from '#platform/db/sql'
import { mainEngines } from '../../../test/databases.ts'
import { givenProject } from '../../../test/given.ts'
import { givenWebhook, nowSec, sign, submit } from '../../../test/given-webhook.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'
import { refusalOfTime } from './signature.ts'

test('a time counts in both directions for 300 s, and not a second longer', () => {
  const after = (ageSec: number) => refusalOfTime({ mac: '', timeSec: 5_000 }, (5_000 + ageSec) * 1000 + 999)
  for (const ageSec of [-300, 0, 300]) expect(after(ageSec), String(ageSec)).toBeUndefined()
  expect(after(301)).toEqual({ refusal: 'too_old', offSec: 301 })
  expect(after(-301)).toEqual({ refusal: 'in_future', offSec: 301 })
})

describe.each(mainEngines)('refused signatures on %s', (engine) => {
  const world = worldForTests(engine)

  test('a refused signature is told and recorded for what it is: missing, malformed, wrong, too old, too new, used', async () => {
    const project = await givenProject(world)
    const hook = await givenWebhook(world, project)
    const own = await givenWebhook(world, project, { requireSignature: true })
    const body = JSON.stringify({ name: 'Ada' })
    const now = nowSec()
    const used = sign(own.secret, body, now - 1)
    expect((await submit(world, project, own.id, { raw: body, headers: used })).status).toBe(201)
    const tries: [string, Record<string, string>, RegExp][] = [
      ['missing', {}, /accepts only signed/],
      ['malformed', { 'x-svc-signature': 't=1,v1=00' }, /not in the form/],
      ['mismatch', sign(hook.secret, body, now), /No v1 value of the signature matches/],
      ['mismatch', sign(hook.secret, body, 5), /No v1 value of the signature matches/],
      ['too_old', sign(own.secret, body, now - 4_000), /300 s in the past\. It is (399\d|4\d{3}) s off/],
      [
        'in_future',
        sign(own.secret, body, now + 4_000),
        /300 s in the future\. It is 3\d{3} s off|4000 s off/,
      ],
    ]
    const requests: [string, string][] = []
    for (const [reason, headers, detail] of tries) {
      const reply = await submit(world, project, own.id, { raw: body, headers })
      expect([reply.status, reply.body.code], reason).toEqual([401, 'SIGNATURE_INVALID'])
      expect(reply.body.detail).toMatch(detail)
      requests.push([reply.body.requestId, reason])
    }
    const replay = await submit(world, project, own.id, { raw: body, headers: used })
    requests.push([replay.body.requestId, 'replayed'])
    await world.service.recorder.flush()
    for (const [requestId, reason] of requests) {
      const rows = await world.service.deps.db.query<object>(sql`
        select kind, reason, project_id as "projectId" from auth_failures where request_id = ${requestId}`)
      expect(rows).toEqual([{ kind: 'signature', reason, projectId: project.id }])
    }
  })
})
