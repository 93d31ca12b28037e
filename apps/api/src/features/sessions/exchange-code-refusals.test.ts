import { demo } from '@rolecall/chat-sim'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { later } from '../../../test/clock.ts'
import { mainEngines } from '../../../test/databases.ts'
import { countRows, exchange, givenCode, givenProject, redirectUri, validate } from '../../../test/given.ts'
import { projectForTests, worldForTests } from '../../../test/world-for-tests.ts'
import { mintToken } from '../../platform/crypto/tokens.ts'
import { sql } from '../../platform/db/sql.ts'

describe.each(mainEngines)('the refusals of POST /api/auth/token on %s', (engine) => {
  const world = worldForTests(engine, { PERMISSION_TTL_MS: '3600000' })
  const project = projectForTests(world)
  const other = projectForTests(world)

  const post = (options: object) => call(world.url, 'POST', '/api/auth/token', options)

  describe('401', () => {
    const expectInvalid = async (reply: Promise<{ status: number; body: { code: string } }>) => {
      const { status, body } = await reply
      expect({ status, code: body.code }).toEqual({ status: 401, code: 'INVALID_CODE' })
    }

    // Service.md, rule 2; RFC 6749 §4.1.3. An attempt by another party may not use up or end anything.
    test('another project, another client id or another redirect URI gets nothing and takes nothing', async () => {
      const code = await givenCode(world, project)
      await expectInvalid(exchange(world, other, code))
      await expectInvalid(exchange(world, other, code, { clientId: project.id }))
      await expectInvalid(exchange(world, project, code, { clientId: other.id }))
      const foreign = await exchange(world, project, 'no code at all', { clientId: other.id })
      expect(foreign.body.errors).toMatchObject([{ path: '/clientId', code: 'FOREIGN' }])
      expect((await exchange(world, project, 'no code at all')).body.errors).toBeUndefined()
      await expectInvalid(exchange(world, project, code, { redirectUri: `${redirectUri}&x` }))
      await expectInvalid(exchange(world, project, code, { redirectUri: 'https://site.example/' }))
      const first = await exchange(world, project, code)
      expect(first.status).toBe(200)
      await expectInvalid(exchange(world, other, code))
      await expectInvalid(exchange(world, project, code, { redirectUri: 'https://site.example/' }))
      expect((await validate(world, project, first.body.token)).status).toBe(200)
    })

    test('a code that was used already, and its second use ends the session of the first, with a warning', async () => {
      const code = await givenCode(world, project)
      const { token, refreshToken } = (await exchange(world, project, code)).body
      const warnings = () =>
        countRows(
          world,
          `audit_log where action = 'code.reuse' and severity = 'warning'
            and ip is not null and request_id is not null`,
        )
      const before = await warnings()
      await expectInvalid(exchange(world, project, code))
      expect((await validate(world, project, token)).status).toBe(401)
      expect(
        (await call(world.url, 'POST', '/api/auth/token/refresh', { token, body: { refreshToken } })).status,
      ).toBe(401)
      // A third use finds nothing to end, and its response is the same.
      await expectInvalid(exchange(world, project, code))
      expect(await warnings()).toBe(before + 1)
    })

    test('a code that is older than 60 s', async () => {
      const code = await givenCode(world, project)
      await later(world.service, 61, () => expectInvalid(exchange(world, project, code)))
      await later(world.service, 55, async () =>
        expect((await exchange(world, project, code)).status).toBe(200),
      )
    })

    test('a code whose member left, or whose project lost its server, between callback and exchange', async () => {
      const code = await givenCode(world, project, demo.users.tomas)
      await world.service.deps.mirrorMember(demo.mainGuildId, { id: demo.users.tomas }, undefined, 'now')
      await expectInvalid(exchange(world, project, code))
    })

    test('a code that is mistyped, truncated, made up, or too long is refused, and never a 5xx', async () => {
      const code = await givenCode(world, project)
      const bad = fc.oneof(
        fc.nat(52).map((at) => code.slice(0, at) + (code[at] === 'x' ? 'y' : 'x') + code.slice(at + 1)),
        fc.nat(52).map((end) => code.slice(0, end)),
        fc.constant(code.toLowerCase()),
        fc.constant(` ${code}`),
        fc.constant(`${code}\n`),
        fc.constant(mintToken('code')),
        fc.constant(mintToken('session')),
        // About the maximum length of a body; a longer one is 413, regardless of its content.
        fc.constant('x'.repeat(3_500)),
        fc.string({ unit: 'binary', maxLength: 300 }),
      )
      await fc.assert(
        fc.asyncProperty(bad, async (made) => {
          expect([400, 401]).toContain((await exchange(world, project, made)).status)
        }),
        { numRuns: 80 },
      )
      expect((await exchange(world, project, code)).status).toBe(200)
    })

    test('who asks is decided before what is asked: a bad key is told nothing about the body', async () => {
      const keys = [undefined, '', 'x', project.key.slice(0, -1), mintToken('apiKey'), `${project.key}x`]
      const seen = new Set<string>()
      for (const key of keys) {
        for (const raw of ['', '{', '{"clientId":1}']) {
          const reply = await post({ ...(key !== undefined && { key }), raw })
          expect(reply.status).toBe(401)
          const { requestId: _, ...body } = reply.body
          seen.add(JSON.stringify([body, [...reply.headers.keys()].sort()]))
        }
      }
      // The responses to an unknown key and to a malformed one are equal.
      expect(seen.size).toBe(1)
    })

    test('a key of an inactive or deleted project', async () => {
      const { db } = world.service.deps
      const own = await givenProject(world)
      const code = await givenCode(world, own)
      await db.execute(sql`update projects set deactivated_at = clock_now() where id = ${own.id}`)
      expect((await exchange(world, own, code)).body.code).toBe('PROJECT_INACTIVE')
      await db.execute(
        sql`update projects set deleted_at = clock_now(), deactivated_at = null where id = ${own.id}`,
      )
      expect((await exchange(world, own, code)).body.code).toBe('INVALID_API_KEY')
    })
  })

  describe('400', () => {
    test('names every problem of the body at once, coerces nothing, and uses up nothing', async () => {
      const code = await givenCode(world, project)
      const reply = await post({ key: project.key, body: { clientId: 5, code: [code], extra: 1 } })
      expect(reply.body.code).toBe('VALIDATION_FAILED')
      expect(reply.body.errors.map(({ path }: { path: string }) => path).sort()).toEqual([
        '/clientId',
        '/code',
        '/extra',
        '/redirectUri',
      ])
      expect((await exchange(world, project, code)).status).toBe(200)
    })

    test('any JSON, and any bytes, are answered with 400, 401, 413 or 415', async () => {
      await fc.assert(
        fc.asyncProperty(fc.oneof(fc.json(), fc.string({ unit: 'binary' }), fc.uint8Array()), async (raw) => {
          expect([400, 401]).toContain((await post({ key: project.key, raw })).status)
        }),
        { numRuns: 80 },
      )
      const huge = await post({ key: project.key, raw: `"${'x'.repeat(1_048_577)}"` })
      expect(huge.status).toBe(413)
      const form = await post({
        key: project.key,
        raw: 'code=x',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      })
      expect(form.status).toBe(415)
    })
  })
})
