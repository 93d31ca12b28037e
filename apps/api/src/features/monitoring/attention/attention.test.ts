import { demo } from '@rolecall/chat-sim'
import { attention } from '@rolecall/contract'
import { describe, expect, test } from 'vitest'
import { call } from '../../../../test/client.ts'
import { ciEngines } from '../../../../test/databases.ts'
import { givenAdmin } from '../../../../test/given.ts'
import { startWorld, type World } from '../../../../test/service.ts'
import { adminForTests, projectForTests, worldForTests } from '../../../../test/world-for-tests.ts'
import { type Sql, sql } from '../../../platform/db/sql.ts'

describe.each(ciEngines)('what needs an administrator, on %s', (engine) => {
  const world = worldForTests(engine, { PERMISSION_TTL_MS: '3600000', RATE_LIMIT_GLOBAL: '0' })
  const admin = adminForTests(world)
  const project = projectForTests(world, { name: 'Wiki' })

  const list = async () => (await call(world.url, 'GET', '/api/admin/attention', admin)).body.data
  const run = (statement: Sql) => world.service.deps.db.execute(statement)
  const expectItem = async (code: attention.AttentionCode, expected: object) => {
    const items = await list()
    const found = items.find((one: attention.Attention) => one.code === code)
    expect(found, JSON.stringify(items)).toMatchObject({ ...attention.attentionCodes[code], ...expected })
  }
  const wiki = () => ({ subject: { type: 'project', id: project.id, name: 'Wiki' } })

  test('is nothing while all is well', async () => {
    expect(await list()).toEqual([])
  })

  const cases: [
    attention.AttentionCode,
    { given: () => Promise<unknown>; undo: () => Promise<unknown>; detail: RegExp; of?: object },
  ][] = [
    [
      'KEY_ENDING',
      {
        given: async () => {
          const path = `/api/admin/projects/${project.id}/regenerate-api-key`
          await call(world.url, 'POST', path, { ...admin, body: { graceSec: 3_600 } })
          await run(sql`
            update api_keys set last_used_at = clock_now() + interval '1 second', uses = uses + 3
            where project_id = ${project.id} and successor_id is not null`)
        },
        undo: () => run(sql`update api_keys set last_used_at = null where project_id = ${project.id}`),
        detail: /the key rck_\w{8} expires at 20\d\d-.* and was used today/,
      },
    ],
    [
      'EVENTS_SWITCHED_OFF',
      {
        given: () =>
          run(sql`
          insert into event_endpoints (project_id, url, disabled_at) values (${project.id}, 'https://gone.invalid/', clock_now())`),
        undo: () => run(sql`delete from event_endpoints`),
        detail: /Events of Wiki are no longer sent/,
      },
    ],
    [
      'EVENTS_FAILING',
      {
        given: () =>
          run(sql`
          with endpoint as (insert into event_endpoints (project_id, url) values (${project.id}, 'https://slow.invalid/'))
          insert into receivers (kind, project_id, failures, failing_since)
          values ('event', ${project.id}, 7, clock_now())`),
        undo: () => run(sql`with endpoint as (delete from event_endpoints) delete from receivers`),
        detail: /has failed 7 times in a row/,
      },
    ],
    [
      'NOTICES_SWITCHED_OFF',
      {
        given: () =>
          run(sql`
          insert into deliveries (kind, project_id, type, data, last_status, last_error, failed_at)
          values ('notice', ${project.id}, 'key.revoked', '{}', 404, 'It answered 404.', clock_now())`),
        undo: () => run(sql`delete from deliveries`),
        detail: /The webhook of Wiki was removed. It answered 404./,
      },
    ],
    [
      'NOTICES_FAILING',
      {
        given: async () => {
          await run(
            sql`update projects set webhook_url_sealed = decode('00', 'hex') where id = ${project.id}`,
          )
          await run(
            sql`insert into receivers (kind, project_id, failures) values ('notice', ${project.id}, 3)`,
          )
        },
        undo: async () => {
          await run(sql`update projects set webhook_url_sealed = null where id = ${project.id}`)
          await run(sql`delete from receivers`)
        },
        detail: /Notices of Wiki have failed 3 times/,
      },
    ],
    [
      'CLIENT_LOGOUTS_FAILING',
      {
        given: () =>
          run(sql`
          insert into deliveries (kind, project_id, member_id, type, data, attempts, last_error)
          values ('logout', ${project.id}, ${demo.users.ada}, 'logout', '{}', 4, 'No answer.')`),
        undo: () => run(sql`delete from deliveries`),
        detail: /Wiki missed 1 ended session. No answer./,
      },
    ],
    [
      'SIGN_INS_FAILING',
      {
        given: async () => {
          for (let i = 0; i < 6; i++)
            await call(
              world.url,
              'GET',
              `/api/auth/authorize?client_id=${project.id}&redirect_uri=https://wrong.example/&server_id=${demo.mainGuildId}&state=x`,
            )
          await world.service.recorder.flush()
          // Rejecting a person who may not sign in is correct: strangers do not make a project look broken.
          await run(sql`
            insert into auth_failures (id, at, kind, reason, path, project_id, address)
            select gen_random_uuid(), clock_now(), 'code', 'not_a_member', '/api/auth/callback', ${project.id}, '203.0.113.' || n
            from generate_series(1, 20) n`)
          // All from one address, so a stranger may have made them up.
          expect((await list()).map((one: attention.Attention) => one.code)).not.toContain('SIGN_INS_FAILING')
          await run(sql`
            update auth_failures f set address = '198.51.100.' || n.place
            from (select id, row_number() over () as place from auth_failures) n where n.id = f.id`)
        },
        undo: () => run(sql`delete from auth_failures`),
        detail: /6 sign-ins were refused within the last hour.*`redirect_uri/,
      },
    ],
    [
      'CREDENTIALS_REJECTED',
      {
        given: async () => {
          const key = `${project.key.slice(0, -1)}${project.key.endsWith('0') ? '1' : '0'}`
          await run(sql`
            insert into auth_failures (id, at, kind, reason, path, key_prefix)
            select gen_random_uuid(), clock_now(), 'api_key', 'unknown', '/api/auth/validate', ${key.slice(0, 12)}
            from generate_series(1, 20)`)
        },
        undo: () => run(sql`delete from auth_failures`),
        detail: /the key rck_\w{8} was rejected 20 times/,
      },
    ],
    [
      'QUEUE_OLD',
      {
        given: () =>
          run(sql`
          insert into deliveries (kind, project_id, type, data, queued_at)
          values ('notice', ${project.id}, 'key.revoked', '{}', clock_now() - interval '1 hour')`),
        undo: () => run(sql`delete from deliveries`),
        detail: /Waiting in notifications: 1, the oldest for 60 minutes/,
        of: { subject: { type: 'queue', id: 'notifications', name: 'notifications' } },
      },
    ],
    [
      'SYNC_FAILED',
      {
        given: () =>
          run(sql`
          insert into member_syncs (id, server_id, finished_at, problem)
          values (gen_random_uuid(), ${demo.mainGuildId}, clock_now(), 'The bot may not list members.')`),
        undo: () => run(sql`delete from member_syncs`),
        detail: /did not finish. The bot may not list members./,
        of: { subject: { type: 'server', id: demo.mainGuildId, name: 'Harbour Club' } },
      },
    ],
    [
      'PROXY_NOT_TRUSTED',
      {
        given: async () => {
          await run(sql`insert into forward_auth (project_id) values (${project.id})`)
          await run(
            sql`insert into forward_auth_hosts (host, project_id, callbacks, place) values ('wiki.example', ${project.id}, '{}', 0)`,
          )
        },
        undo: () => run(sql`delete from forward_auth`),
        detail: /TRUST_PROXY is empty/,
        of: { subject: null },
      },
    ],
    [
      'AUDIT_CHAIN_BROKEN',
      {
        given: () =>
          run(sql`update audit_verification set problem = 'Entry 7 is missing.', problem_at = clock_now()`),
        undo: () => run(sql`update audit_verification set problem = null, problem_at = null`),
        detail: /Entry 7 is missing/,
        of: { subject: null, since: expect.any(String) },
      },
    ],
    [
      'CHAT_PLATFORM_DOWN',
      {
        given: async () => {
          await world.sim.down()
          await world.service.deps.chat.bot().catch(() => {})
        },
        undo: async () => {
          await world.sim.up()
          await world.service.deps.chat.bot()
        },
        detail: /did not respond|returned status/,
        of: { subject: null },
      },
    ],
  ]

  test.each(cases)(
    '%s is told with its subject and mend, and no more once it is mended',
    async (code, { given, undo, detail, of }) => {
      await given()
      await expectItem(code, { detail: expect.stringMatching(detail), ...(of ?? wiki()) })
      await undo()
      expect((await list()).map((one: attention.Attention) => one.code)).not.toContain(code)
    },
  )

  test('comes with errors before warnings', async () => {
    await run(sql`update projects set webhook_url_sealed = decode('00', 'hex') where id = ${project.id}`)
    await run(sql`insert into receivers (kind, project_id, failures) values ('notice', ${project.id}, 3)`)
    await run(
      sql`insert into event_endpoints (project_id, url, disabled_at) values (${project.id}, 'https://x.invalid/', clock_now())`,
    )
    expect((await list()).map(({ severity }: attention.Attention) => severity)).toEqual(['error', 'warning'])
  })
})

test('a key that is not configured, and a changed one, are told by their variables', async () => {
  const first = await startWorld('pglite', { PERMISSION_TTL_MS: '3600000' })
  const second = await startWorld('pglite', {
    OUTBOUND_WEBHOOK_ENCRYPTION_KEY: '',
    PERMISSION_TTL_MS: '3600000',
  })
  try {
    const of = async (world: World) => {
      const { body } = await call(world.url, 'GET', '/api/admin/attention', {
        token: await givenAdmin(world),
      })
      return body.data.map(({ code, subject }: attention.Attention) => [code, subject?.id])
    }
    expect(await of(second)).toEqual([['ENCRYPTION_KEY_MISSING', 'OUTBOUND_WEBHOOK_ENCRYPTION_KEY']])
    await first.service.deps.db.execute(sql`
      insert into key_fingerprints (purpose, fingerprint) values ('INBOUND_WEBHOOK_ENCRYPTION_KEY', 'another')`)
    expect(await of(first)).toEqual([['ENCRYPTION_KEY_CHANGED', undefined]])
  } finally {
    await first.close()
    await second.close()
  }
})
