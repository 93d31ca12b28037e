import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { demo } from '@rolecall/chat-sim'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { recordAudit } from '#audit/record'
import { brief } from '../../../../tools/brief.ts'
import { program, runCommand } from '../../test/command.ts'
import { createDatabase, engines, type TestDatabase } from '../../test/databases.ts'
import { folderForTests, redisForTests, simForTests } from '../../test/process-for-tests.ts'
import { environmentFor } from '../../test/service.ts'
import { checkKeyFingerprints } from '../features/encryption-keys/check-fingerprints.ts'
import { openDatabase } from '../platform/db/open-database.ts'
import { sql } from '../platform/db/sql.ts'

const folder = folderForTests('rolecall-cli-')
const sim = simForTests()

/** Runs a command in an empty folder, with this environment and nothing else. */
const rolecall = (args: string, env: Record<string, string> = {}) => runCommand(folder, args.split(' '), env)

test('help names every command, with examples', async () => {
  const { code, out } = await rolecall('--help')
  expect(code).toBe(0)
  for (const word of [
    'serve',
    'migrate',
    'doctor',
    'openapi',
    'audit',
    'sessions',
    'init',
    'backup',
    'Examples:',
  ])
    expect(out).toContain(word)
  const commands = [
    ...['serve', 'migrate', 'doctor', 'openapi', 'audit verify', 'sessions revoke', 'init'],
    ...['projects create', 'backup', 'restore', 'login', 'token', 'logout'],
  ]
  const helps = await Promise.all(commands.map((command) => rolecall(`${command} --help`)))
  for (const help of helps) expect(help.out).toMatch(/Examples?:/)
  expect(await rolecall('frobnicate')).toMatchObject({ code: 1, out: '' })
})

test('openapi prints the document for the given address', async () => {
  const { code, out, err } = await rolecall('openapi', { PUBLIC_URL: 'https://id.example' })
  expect([code, err]).toEqual([0, ''])
  const document = JSON.parse(out)
  expect(document.openapi).toBe('3.1.0')
  expect(document.servers).toEqual([{ url: 'https://id.example' }])
  expect(document.paths['/api/admin/settings'].patch).toBeDefined()
})

describe('whose reader has gone', () => {
  // An empty database makes `migrate` print many lines; an embedded one would take seconds to create.
  let database: TestDatabase
  beforeAll(async () => {
    database = await createDatabase('postgres')
    const db = await openDatabase(database.url)
    await db.script('drop schema public cascade; create schema public')
    await db.close()
    return () => database.drop()
  })

  test.each([
    ['doctor', 141],
    ['openapi', 141],
    ['migrate', 141],
    // These commands print all at once, and exit before they could receive EPIPE.
    ['--help', 0],
    ['frobnicate', 1],
  ])('%s ends quietly, with %i', async (command, code) => {
    // The command starts after its reader has ended: each of its lines finds a closed pipe.
    const untilUnread = 'trap "" PIPE; while echo 2>/dev/null; do :; done'
    const script = `{ ${untilUnread}; "$0" ${brief.join(' ')} "$1" ${command} 2>&1; echo "code $?" >&2; } | true`
    const env = { PATH: process.env['PATH'], DATABASE_URL: database.url }
    const told = await new Promise<string>((resolve) => {
      execFile('sh', ['-c', script, process.execPath, program], { cwd: folder, env }, (_error, _out, err) =>
        resolve(err),
      )
    })
    expect(told).toBe(`code ${code}\n`)
  })
})

test('a command does not fall back to another database than the one that was meant', async () => {
  for (const command of ['migrate', 'audit verify', 'sessions revoke --all']) {
    const { code, err } = await rolecall(command, { DATABASE_URL: 'mysql://root:hunter2@db' })
    expect(code).toBe(1)
    expect(err).toMatch(/^DATABASE_URL must be postgres/)
    expect(err).not.toContain('hunter2')
    expect((await rolecall(command, { NODE_ENV: 'production' })).err).toMatch(/^DATABASE_URL is missing/)
  }
})

/** The output of `migrate` for a database without tables. */
const applied = /^applied 0001_clock_and_identity\.sql\n(applied \d{4}_\w+\.sql\n)+$/

test('migrate applies what is missing on PostgreSQL, by name, and then has nothing to do', async () => {
  const database = await createDatabase('postgres')
  const env = { DATABASE_URL: database.url }
  const db = await openDatabase(database.url)
  await db.script('drop schema public cascade; create schema public')
  await db.close()
  expect(await rolecall('migrate', env)).toMatchObject({ code: 0, out: expect.stringMatching(applied) })
  expect(await rolecall('migrate', env)).toMatchObject({ code: 0, out: 'nothing to do\n' })
  await database.drop()
})

test('only migrate makes a database where there is none, and then has nothing to do', async () => {
  for (const command of ['audit verify', 'sessions revoke --all']) {
    const { code, out, err } = await rolecall(command)
    expect([code, out]).toEqual([1, ''])
    expect(err).toMatch(/^There is no database in \.rolecall\/db\./)
    expect(existsSync(join(folder, '.rolecall'))).toBe(false)
  }
  const made = await rolecall('migrate', { DATABASE_URL: 'pglite:made' })
  expect(made).toMatchObject({
    code: 0,
    out: expect.stringMatching(applied),
    err: expect.stringMatching(/^This database is new and contains no projects/),
  })
  expect(existsSync(join(folder, 'made'))).toBe(true)
  expect(await rolecall('migrate', { DATABASE_URL: 'pglite:made' })).toEqual({
    code: 0,
    out: 'nothing to do\n',
    err: '',
  })
})

describe.each(engines)('on %s', (engine) => {
  let database: TestDatabase
  let env: Record<string, string>
  beforeEach(async () => {
    database = await createDatabase(engine)
    env = { ...environmentFor(sim), DATABASE_URL: database.url }
    return () => database.drop()
  })
  const onDatabase = async (work: (db: Awaited<ReturnType<typeof openDatabase>>) => Promise<unknown>) => {
    const db = await openDatabase(database.url)
    await work(db)
    await db.close()
  }

  test('audit verify says what to do about a database without tables', async () => {
    await onDatabase((db) => db.script('drop schema public cascade; create schema public'))
    expect(await rolecall('audit verify', env)).toMatchObject({
      code: 1,
      err: 'The database is not up to date. Run `rolecall migrate` first.\n',
    })
  })

  test('migrate and doctor name what a newer version has added, and say what to do when that needs more', async () => {
    const add = (needs: string | null) =>
      onDatabase((db) =>
        db.execute(sql`insert into migrations (name, checksum, needs) values ('9999_added.sql', 'x', ${needs})
          on conflict (name) do update set needs = excluded.needs`),
      )
    await add(null)
    const sentence = 'The database has 9999_added.sql of a newer version. This version works with it'
    const [migrated, found] = [await rolecall('migrate', env), await rolecall('doctor', env)]
    expect([migrated.code, migrated.out]).toEqual([0, 'nothing to do\n'])
    expect(migrated.err).toContain(sentence)
    expect(found.out).toMatch(/^ok +database .*, up to date$/m)
    expect(found.out).toMatch(new RegExp(`^note +database +${sentence}`, 'm'))

    await add('9999_added.sql')
    const refusal = 'which requires 9999_added.sql. Start a version with that migration'
    const [refused, problem] = [await rolecall('migrate', env), await rolecall('doctor', env)]
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining(refusal) })
    expect(refused.err.trim().split('\n')).toHaveLength(1)
    expect(problem.code).toBe(1)
    expect(problem.out).toMatch(new RegExp(`^PROBLEM +database +.*${refusal}`, 'm'))
  })

  test('serve, migrate, and doctor refuse a database of an unreleased version with a sentence that names the fix', async () => {
    await onDatabase((db) =>
      db.script("update migrations set name = '0001_clock.sql' where name = '0001_clock_and_identity.sql'"),
    )
    const refusal =
      /created by an unreleased version, .* start this version with an empty data(base|\sfolder)/
    for (const command of ['migrate', 'serve']) {
      const { code, err } = await rolecall(command, env)
      expect(code).toBe(1)
      expect(err).toMatch(refusal)
      expect(err.trim().split('\n')).toHaveLength(1)
    }
    const found = await rolecall('doctor', env)
    expect(found.code).toBe(1)
    expect(found.out).toMatch(new RegExp(`^PROBLEM +database +.*${refusal.source}`, 'm'))
  })

  test('audit verify counts a whole chain, and names the first broken entry', async () => {
    await onDatabase((db) =>
      db.transaction(async (tx) => {
        for (let i = 1; i <= 12; i++) {
          await recordAudit(tx, { actionType: 'auth', action: 'thing.do', summary: `Entry ${i}` })
        }
      }),
    )
    const whole = await rolecall('audit verify', env)
    expect(whole).toMatchObject({ code: 0, err: '' })
    expect(whole.out).toMatch(/^ok {2}12 entries, unbroken\. The last hash is [0-9a-f]{64}\.\n$/)
    await onDatabase((db) =>
      db.script(
        `alter table audit_log disable trigger all; update audit_log set summary = 'x' where seq in (7, 9)`,
      ),
    )
    const broken = await rolecall('audit verify', env)
    expect([broken.code, broken.out]).toEqual([1, ''])
    expect(broken.err).toMatch(/^BROKEN {2}Entry 7 \(.*was changed/)
    expect(broken.err).toContain('The 6 entries before it')
  })

  test('sessions revoke --all says how many of each it ended; without --all it ends nothing', async () => {
    await onDatabase((db) =>
      db.script(`
        insert into servers (id, name) values ('100000000000000001', 'Club');
        insert into members (id, username) values ('200000000000000001', 'ada');
        insert into memberships (server_id, member_id) values ('100000000000000001', '200000000000000001');
        insert into sessions (id, member_id, server_id, membership_generation, token_digest, refresh_digest,
          expires_at, max_expires_at)
        select gen_random_uuid(), '200000000000000001', '100000000000000001', 0, 't' || i, 'r' || i,
          clock_now() + i * interval '1 hour', clock_now() + interval '1 year'
        from generate_series(-1, 1500) i`),
    )
    expect(await rolecall('sessions revoke', env)).toMatchObject({ code: 1, out: '' })
    const first = await rolecall('sessions revoke --all', env)
    expect([first.code, first.err]).toEqual([0, ''])
    expect(first.out.split('\n')).toEqual([
      'ended  1,500 sessions of projects and administrators',
      'ended  0 single sign-on sessions of browsers',
      'ended  0 unused codes',
      'ended  0 sign-ins in progress',
      '',
    ])
    expect((await rolecall('sessions revoke --all', env)).out).toContain('ended  0 sessions')
    expect((await rolecall('audit verify', env)).out).toMatch(/^ok {2}2 entries/)
  })
})

describe('doctor', () => {
  let database: TestDatabase
  const redis = redisForTests()
  let env: Record<string, string>
  beforeAll(async () => {
    database = await createDatabase('postgres')
    env = {
      ...environmentFor(sim),
      // Made as an operator makes them.
      OUTBOUND_WEBHOOK_ENCRYPTION_KEY: randomBytes(32).toString('hex'),
      INBOUND_WEBHOOK_ENCRYPTION_KEY: randomBytes(32).toString('hex'),
      DATABASE_URL: database.url,
      CACHE_URL: redis.url,
      PUBLIC_URL: 'http://127.0.0.1:3000',
    }
    sim.allowRedirect(env['CHAT_CALLBACK_URL'] as string)
  })
  afterAll(() => database.drop())

  const areas = [
    'configuration',
    'database',
    'cache',
    'key fingerprints',
    'bot token',
    'client secret',
    'main server',
    'callback URL',
    'OpenID Connect',
    'protected hosts',
  ]

  test('says with nothing configured what each part needs, without a stack', async () => {
    const { code, out, err } = await rolecall('doctor')
    expect([code, err], out).toEqual([1, ''])
    const named = out
      .trim()
      .split('\n')
      .map((line) => line.slice(9, 26).trim())
    expect([...new Set(named)]).toEqual(areas)
    expect(out).toMatch(/^PROBLEM {2}configuration {4} CHAT_CLIENT_SECRET is missing/m)
    expect(out).toMatch(/^note {5}configuration {4} `rolecall init` asks for what is missing/m)
  })

  test('says ok to each part, and exits 0', async () => {
    const { code, out, err } = await rolecall('doctor', { ...env, CHAT_GATEWAY: 'on' })
    expect([code, err], out).toEqual([0, ''])
    expect(
      out
        .trim()
        .split('\n')
        .map((line) => line.slice(0, 25).trim()),
    ).toEqual(areas.map((area) => `ok       ${area}`))
    expect(out).toContain('Harbour Club; role for System Admins: Steward')
  })

  /** Checks that these areas were not checked, each with its reason. */
  const expectSkipped = (out: string, reasons: Record<string, string>) => {
    for (const [area, text] of Object.entries(reasons)) {
      const lines = out.split('\n').filter((line) => line.slice(9, 26).trim() === area)
      expect(lines.map((line) => [line.slice(0, 7), line.slice(27)])).toEqual([['SKIPPED', text]])
    }
  }

  test.each<[Record<string, string>, [string, string][], Record<string, string>?]>([
    [
      { CHAT_BOT_TOKEN: 'canary-wrong', DATABASE_URL: 'postgres://canary:canary@127.0.0.1:1/x' },
      [
        ['bot token', 'Copy it again'],
        ['database', 'no server listens there'],
      ],
      {
        'key fingerprints': 'not checked: see database.',
        'main server': 'not checked: see bot token.',
      },
    ],
    [
      { CHAT_BOT_TOKEN: '', INBOUND_WEBHOOK_ENCRYPTION_KEY: 'canary', NODE_ENV: 'prod' },
      [
        ['configuration', 'CHAT_BOT_TOKEN is missing'],
        ['configuration', '64 hexadecimal'],
        ['configuration', 'treated as production'],
      ],
    ],
    [
      {
        CHAT_CLIENT_ID: demo.users.ada,
        CHAT_ADMIN_ROLE_ID: demo.users.ada,
        CHAT_CALLBACK_URL: 'http://127.0.0.1:3000/x/../api/auth/callback',
        CACHE_URL: 'redis://:canary@127.0.0.1:1',
      },
      [
        ['bot token', 'but this bot belongs to'],
        ['main server', 'Correct CHAT_ADMIN_ROLE_ID'],
        ['callback URL', 'does not know'],
        ['cache', 'Check CACHE_URL'],
      ],
    ],
    [{ CHAT_AUDITOR_ROLE_ID: demo.users.ada }, [['main server', 'Correct CHAT_AUDITOR_ROLE_ID']]],
    [
      { CHAT_GUILD_ID: demo.users.ada, PUBLIC_URL: 'http://127.0.0.1:4000' },
      [
        ['main server', 'Invite it, or correct CHAT_GUILD_ID'],
        ['callback URL', 'is not at PUBLIC_URL'],
      ],
    ],
    [
      { CHAT_API_URL: 'http://127.0.0.1:1' },
      [['bot token', 'Discord does not respond']],
      { 'client secret': 'not checked: see bot token.', 'main server': 'not checked: see bot token.' },
    ],
    [
      { CHAT_CLIENT_SECRET: 'canary-secret', DATABASE_URL: 'postgres://u:canary@nowhere.invalid/x' },
      [
        ['client secret', 'rejects CHAT_CLIENT_ID with CHAT_CLIENT_SECRET'],
        ['database', 'no such host'],
      ],
    ],
  ])(
    'names each problem with %j and its fix, shows no secret, and exits 1',
    async (wrong, expected, skipped = {}) => {
      const { code, out, err } = await rolecall('doctor', { ...env, ...wrong })
      expect([code, err], out).toEqual([1, ''])
      for (const [area, fix] of expected) {
        const lines = out.split('\n').filter((line) => line.startsWith(`PROBLEM  ${area}`))
        expect(lines.join('\n')).toContain(fix)
      }
      expectSkipped(out, skipped)
      expect(out).not.toContain('canary')
    },
  )

  test.each<[Record<string, string>, Record<string, string>]>([
    [
      { CHAT_CALLBACK_URL: 'http://127.0.0.1:3000/elsewhere' },
      { 'callback URL': 'not checked: see configuration, CHAT_CALLBACK_URL.' },
    ],
    [
      { DATABASE_URL: 'mysql://canary' },
      {
        database: 'not checked: see configuration, DATABASE_URL.',
        'key fingerprints': 'not checked: see database.',
      },
    ],
    [
      { CHAT_BOT_TOKEN: '', CHAT_GUILD_ID: 'canary', CHAT_CLIENT_ID: 'canary' },
      {
        'bot token': 'not checked: see configuration, CHAT_BOT_TOKEN.',
        'client secret': 'not checked: see configuration, CHAT_CLIENT_ID.',
        'main server': 'not checked: see configuration, CHAT_GUILD_ID and CHAT_BOT_TOKEN.',
      },
    ],
    [
      { CACHE_URL: 'canary', INBOUND_WEBHOOK_ENCRYPTION_KEY: 'canary', CHAT_API_URL: 'canary' },
      {
        cache: 'not checked: see configuration, CACHE_URL.',
        'key fingerprints': 'not checked: see configuration, INBOUND_WEBHOOK_ENCRYPTION_KEY.',
        'bot token': 'not checked: see configuration, CHAT_API_URL.',
        'callback URL': 'not checked: see configuration, CHAT_API_URL.',
      },
    ],
  ])('what stands on %j is not checked with something else, and points to it', async (wrong, expected) => {
    const { code, out } = await rolecall('doctor', { ...env, ...wrong })
    expect(code).toBe(1)
    expectSkipped(out, expected)
    expect(out).not.toContain('canary')
  })

  test('names a wrong password, an unknown role and a missing database, each as what it is', async () => {
    const whole = new URL(database.url)
    const changed = (change: (url: URL) => void) => {
      const url = new URL(whole)
      change(url)
      return { ...env, DATABASE_URL: url.href }
    }
    const databaseLine = async (wrong: Record<string, string>) => {
      const { code, out } = await rolecall('doctor', wrong)
      expect(code).toBe(1)
      return out.split('\n').find((line) => line.includes('  database  '))
    }
    const lines = await Promise.all([
      databaseLine(changed((url) => (url.password = 'canary'))),
      databaseLine(changed((url) => (url.username = 'nobody_of_that_name'))),
      databaseLine(changed((url) => (url.pathname = '/not_there'))),
    ])
    expect(lines[0]).toContain('rejects the password of DATABASE_URL')
    // A server that requires passwords never reveals the roles that exist.
    expect(lines[1]).toContain('has no role of that name')
    expect(lines[2]).toContain('does not have the database of DATABASE_URL')
    expect(lines.join('')).not.toContain('canary')
  })

  test('an empty database is all right: migrations are a note, nothing is made, and serve may follow', async () => {
    const empty = await createDatabase('postgres')
    const db = await openDatabase(empty.url)
    await db.script('drop schema public cascade; create schema public')
    const { code, out } = await rolecall('doctor', { ...env, DATABASE_URL: empty.url })
    expect(code, out).toBe(0)
    expect(out).toMatch(/^note +database +\d+ migrations are missing/m)
    const tables = await db.query(sql`select from information_schema.tables where table_schema = 'public'`)
    expect(tables).toEqual([])
    await db.close()
    await empty.drop()
  })

  test('a key that is not the one that secrets were sealed under is named, and doctor itself notes none', async () => {
    const db = await openDatabase(database.url)
    const noted = () => db.query(sql`select * from key_fingerprints`)
    await rolecall('doctor', env)
    expect(await noted()).toEqual([])
    await checkKeyFingerprints(db, {
      outboundKey: 'ab'.repeat(32),
      inboundKey: env['INBOUND_WEBHOOK_ENCRYPTION_KEY'],
    })
    const { code, out } = await rolecall('doctor', env)
    expect(code).toBe(1)
    expect(out).toMatch(/^PROBLEM +key fingerprints +OUTBOUND_WEBHOOK_ENCRYPTION_KEY is not the key/m)
    expect(out).not.toMatch(/INBOUND_WEBHOOK_ENCRYPTION_KEY is not the key/)
    await db.query(sql`delete from key_fingerprints`)
    await db.close()
  })

  test('changes nothing: a database that is not there yet is not made', async () => {
    const { out } = await rolecall('doctor', { ...env, DATABASE_URL: 'pglite:not-there' })
    expect(out).toContain('the first start creates not-there')
    expect(existsSync(join(folder, 'not-there'))).toBe(false)
  })

  test('a data folder that another process uses is said as it is', async () => {
    const embedded = await createDatabase('pglite')
    const db = await openDatabase(embedded.url)
    const { code, out } = await rolecall('doctor', { ...env, DATABASE_URL: embedded.url })
    expect(code).toBe(1)
    expect(out).toMatch(/PROBLEM {2}database .* is in use by another Rolecall process/)
    await db.close()
    await embedded.drop()
  })
})
