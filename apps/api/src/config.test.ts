import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import Fastify from 'fastify'
import { afterAll, describe, expect, test } from 'vitest'
import { type Config, loadConfig, type Variable, variableOf, variables } from './config.ts'
import { guessableBecause } from './platform/crypto/guessable-key.ts'

const production = {
  NODE_ENV: 'production',
  CHAT_BOT_TOKEN: 'planted-bot-token',
  CHAT_CLIENT_ID: '1019553485861027842',
  CHAT_CLIENT_SECRET: 'planted-client-secret',
  CHAT_GUILD_ID: '1100089314336833537',
  CHAT_ADMIN_ROLE_ID: '1100093797636898817',
  CHAT_CALLBACK_URL: 'https://login.example/api/auth/callback',
  OUTBOUND_WEBHOOK_ENCRYPTION_KEY: '7f3c0a91d5e862b41f9ac7530e8db64293fb1c6ea85d07429be0f3186c5ad7e4',
  INBOUND_WEBHOOK_ENCRYPTION_KEY: 'C05E83B1F6274AD99E18D37C62FB40A5158BE97D0CF2634E7A91B8D52C06EF93',
  PUBLIC_URL: 'https://login.example',
  DATABASE_URL: 'postgres://app:planted-password@db.example/app',
  CACHE_URL: 'redis://:planted-cache-password@cache.example',
}
const required = Object.keys(production).filter((name) => !['NODE_ENV', 'CACHE_URL'].includes(name))
const problemsOf = (more: Record<string, string | undefined>) =>
  loadConfig({ ...production, ...more }).problems
const table = Object.values<Variable>(variables)

describe('the configuration', () => {
  test('every number has an upper bound, short of where dates and timers end', () => {
    const numbers = table.filter(({ name }) =>
      problemsOf({ [name]: 'x' })
        .join()
        .includes('whole number'),
    )
    expect(numbers.length).toBeGreaterThan(10)
    for (const { name } of numbers) expect(problemsOf({ [name]: '9007199254740991' }), name).toHaveLength(1)
  })

  test('a complete production environment has no problems', () => {
    expect(loadConfig(production)).toMatchObject({ problems: [], warnings: [] })
    expect(loadConfig(production).config.production).toBe(true)
  })

  test.each(['CHAT_BOT_TOKEN', 'CHAT_CLIENT_SECRET'])(
    '%s with a character that no header can contain is a problem, not a silent Discord',
    (name) => {
      for (const bad of ['…', 'Bot planted', 'planted\u200b', 'plänted'])
        expect(problemsOf({ [name]: bad })).toEqual([
          `${name} contains a space or a character that Discord does not use in secrets. Copy it again.`,
        ])
    },
  )

  test('the required variables are those of the specification, and the database', () => {
    expect(
      table
        .filter((one) => one.required)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(required.sort())
  })

  test.each(required)(
    '%s missing, empty, blank, quoted or with a line break is one problem that names it',
    (name) => {
      const value = production[name as keyof typeof production]
      for (const bad of [undefined, '', '   ', ` ${value}`, `${value}\n`, `"${value}"`, `'${value}'`]) {
        const [problem, ...others] = problemsOf({ [name]: bad })
        expect(others).toEqual([])
        expect(problem).toMatch(
          new RegExp(`^${name} (is missing: .|has surrounding spaces, line breaks, or quotes)`),
        )
      }
    },
  )

  test('all problems come in one go, one line each', () => {
    const { problems } = loadConfig({ NODE_ENV: 'production', PORT: 'x', LOG_LEVEL: 'loud' })
    expect(problems.map((line) => line.split(' ')[0]).sort()).toEqual(
      [...required, 'CACHE_URL=memory:', 'LOG_LEVEL', 'PORT']
        .sort()
        .filter((name) => name !== 'CACHE_URL=memory:' || problems.some((line) => line.startsWith(name))),
    )
    for (const problem of problems) expect(problem).not.toContain('\n')
  })

  describe('secrets in files', () => {
    const folder = mkdtempSync(join(tmpdir(), 'rolecall-secrets-'))
    afterAll(() => rmSync(folder, { recursive: true }))
    const file = (content: string) => {
      const path = join(folder, randomBytes(6).toString('hex'))
      writeFileSync(path, content)
      return path
    }
    const secrets = Object.entries<Variable>(variables).filter(([, one]) => one.secret)
    const plantedFor = (name: string) =>
      ({ ...production, METRICS_TOKEN: 'planted-metrics-token' })[name as keyof typeof production]

    test.each(secrets)(
      '%s is read from the file that its _FILE names, with or without a line break',
      (key, { name }) => {
        for (const end of ['', '\n', '\r\n']) {
          const env = {
            ...production,
            [name]: undefined,
            [`${name}_FILE`]: file(`${plantedFor(name)}${end}`),
          }
          const { config, problems } = loadConfig(env)
          expect(problems).toEqual([])
          expect(config[key as keyof Config]).toBe(plantedFor(name))
        }
      },
    )

    test.each(secrets)(
      '%s: a file that says nothing usable is one problem that names it, and shows none of it',
      (_, { name }) => {
        for (const [path, problem] of [
          [join(folder, 'not-there'), /cannot be read \(ENOENT\)/],
          [folder, /cannot be read \(EISDIR\)/],
          [file(''), /names an empty file/],
          [file('\n'), /names an empty file/],
          [file(' planted '), /has surrounding spaces, line breaks, or quotes/],
          [file('planted\n\n'), /has surrounding spaces, line breaks, or quotes/],
        ] as const) {
          const env = { SINGLE_INSTANCE: 'true', [name]: undefined, [`${name}_FILE`]: path }
          const [told = '', ...others] = problemsOf(env)
          expect(others).toEqual([])
          expect(told).toMatch(problem)
          expect(told.startsWith(`${name}_FILE `)).toBe(true)
          expect(told).not.toContain('planted')
          expect(variableOf(told)).toBe(name)
        }
        const twice = { SINGLE_INSTANCE: 'true', [name]: plantedFor(name), [`${name}_FILE`]: file('planted') }
        expect(problemsOf(twice)).toEqual([`${name}_FILE is set in addition to ${name}. Remove one of them.`])
      },
    )

    test('what is no secret is not read from a file, and says so', () => {
      expect(
        problemsOf({ CHAT_GUILD_ID: undefined, CHAT_GUILD_ID_FILE: file('1100089314336833537') }),
      ).toEqual([
        'CHAT_GUILD_ID_FILE is not supported, because only secrets can come from files. Set CHAT_GUILD_ID.',
      ])
    })
  })

  test('WORKERS=auto is a worker for each core where several can work together, and else one', () => {
    const workers = (more: Record<string, string>) => loadConfig({ ...production, WORKERS: 'auto', ...more })
    expect(workers({})).toMatchObject({ problems: [], config: { workers: availableParallelism() } })
    for (const alone of [{ DATABASE_URL: 'pglite:db' }, { CACHE_URL: 'memory:', SINGLE_INSTANCE: 'true' }]) {
      expect(workers(alone)).toMatchObject({ problems: [], config: { workers: 1 } })
    }
  })

  const careless: Record<string, string[]> = {
    PUBLIC_URL: [
      'http://login.example',
      'https://other.example',
      'https://login.example:8443',
      'http://127.0.0.1:3000',
      'http://localhost.example',
    ],
    CHAT_CALLBACK_URL: ['http://login.example/api/auth/callback', 'http://10.0.0.7/api/auth/callback'],
    CHAT_API_URL: ['http://discord.com/api', 'http://10.1.2.3:8080/api', 'http://127.0.0.1.example/api'],
    CHAT_AUTHORIZE_URL: ['http://discord.com/oauth2/authorize'],
    METRICS_TOKEN: ['x', 'fifteen-letters'],
    OUTBOUND_WEBHOOK_ENCRYPTION_KEY: [
      '0'.repeat(64),
      'a'.repeat(64),
      'F'.repeat(64),
      'deadbeef'.repeat(8),
      '0123456789abcdef'.repeat(4),
      Buffer.from(Array.from({ length: 32 }, (_, i) => i)).toString('hex'),
      Buffer.from(Array.from({ length: 32 }, (_, i) => 255 - i * 3)).toString('hex'),
      'c0ffee'.padEnd(64, '1'),
      Buffer.from('correct horse battery staple 123').toString('hex'),
      production.INBOUND_WEBHOOK_ENCRYPTION_KEY.slice(0, 32).repeat(2),
    ],
    INBOUND_WEBHOOK_ENCRYPTION_KEY: [
      '1'.repeat(64),
      production.OUTBOUND_WEBHOOK_ENCRYPTION_KEY,
      production.OUTBOUND_WEBHOOK_ENCRYPTION_KEY.toUpperCase(),
    ],
  }
  test.each(Object.entries(careless))(
    'a careless %s ends a production start, and is a warning and used elsewhere',
    (name, values) => {
      for (const value of values) {
        const told = (lines: readonly string[]) => lines.filter((line) => line.includes(name))
        expect(told(problemsOf({ [name]: value })), value).not.toEqual([])
        const elsewhere = loadConfig({ ...production, NODE_ENV: 'development', [name]: value })
        expect(told(elsewhere.warnings), value).not.toEqual([])
        expect(elsewhere.problems).toEqual([])
        const [key = ''] = Object.entries<Variable>(variables).find(([, one]) => one.name === name) ?? []
        expect(elsewhere.config[key as keyof Config]).toBe(value)
      }
    },
  )

  test('no random key is taken for one that can be guessed', () => {
    for (let round = 0; round < 20_000; round++) {
      const key = randomBytes(32).toString('hex')
      expect(guessableBecause(key), key).toBeUndefined()
    }
  })

  test('on loopback, which is not exposed, production speaks plain HTTP', () => {
    for (const origin of ['http://127.0.0.1:3000', 'http://localhost:8080', 'http://[::1]:3000']) {
      const local = {
        PUBLIC_URL: origin,
        CHAT_CALLBACK_URL: `${origin}/api/auth/callback`,
        CHAT_API_URL: 'http://127.0.0.1:9/api',
        CHAT_AUTHORIZE_URL: 'http://localhost:9/oauth2/authorize',
      }
      expect(problemsOf(local)).toEqual([])
    }
  })

  test('what is missing is not also told to be wrong', () => {
    expect(problemsOf({ PUBLIC_URL: undefined, HOST: '0.0.0.0' })).toEqual([
      'PUBLIC_URL is missing: The address of the service for browsers. The default applies only outside production.',
    ])
  })

  test('the framework understands every accepted TRUST_PROXY', () => {
    const networks = [
      '10.0.0.0/8',
      '127.0.0.1',
      '::1',
      'fd00::/8',
      '::ffff:10.0.0.1',
      '10.1.2.3/32',
      '2001:db8::/128',
    ]
    for (const value of [...networks, networks.join(', '), `${networks.join(',')},`]) {
      const { config, problems } = loadConfig({ ...production, TRUST_PROXY: value })
      expect(problems).toEqual([])
      expect(() => Fastify({ trustProxy: [...config.trustProxy] })).not.toThrow()
    }
  })

  const longest = Object.values<Variable>(variables).filter(({ name }) => /_(SEC|MS)$/.test(name))
  test.each(longest.map(({ name }) => name))('%s has an upper bound that no date leaves', (name) => {
    expect(problemsOf({ [name]: '999999999999999' })).toEqual([
      expect.stringMatching(
        new RegExp(`^${name} must be a whole number of at least \\d and at most \\d+\\.$`),
      ),
    ])
    const most = Number(/at most (\d+)/.exec(problemsOf({ [name]: '999999999999999' })[0] ?? '')?.[1])
    expect(problemsOf({ [name]: String(most) })).toEqual([])
    expect(Date.now() + most * (name.endsWith('_SEC') ? 1_000 : 1)).toBeLessThan(Date.UTC(9999, 0))
  })

  const malformed: Record<string, string[]> = {
    CHAT_CLIENT_ID: ['abc', '123', '0'.repeat(18), String(2n ** 64n), '1e18'],
    CHAT_GUILD_ID: ['abc', '-1100089314336833537'],
    CHAT_ADMIN_ROLE_ID: ['@steward', '11000937976368988.7'],
    CHAT_CALLBACK_URL: [
      'login.example/api/auth/callback',
      'https://login.example/',
      'https://login.example/api/auth/callback?x=1',
      'https://login.example/api/auth/callback#x',
      'https://u:p@login.example/api/auth/callback',
      'ftp://login.example/api/auth/callback',
    ],
    OUTBOUND_WEBHOOK_ENCRYPTION_KEY: ['a'.repeat(63), 'a'.repeat(65), 'g'.repeat(64), `0x${'a'.repeat(62)}`],
    INBOUND_WEBHOOK_ENCRYPTION_KEY: ['a'.repeat(32)],
    HOST: ['http://127.0.0.1', '127.0.0.1:3000', 'a b', '-', '[::1]', '0.0.0.0/0'],
    TRUST_PROXY: [
      'loopback',
      '10.0.0.0/33',
      '10.0.0.0/0',
      '10.0.0',
      'proxy.example',
      '::1/129',
      '::1,nonsense',
      'fe80::1%lo',
    ],
    DATABASE_URL: [
      'mysql://x/y',
      'postgres://u:%ff@h/d',
      'postgres://u@h/d?sslrootcert=/not/there.pem',
      'postgres:',
      'pglite:',
      '/var/lib/db',
      'postgres://u:p@h:port/d',
      'postgres://u:p@[::1/d',
      'postgres://u:p@first,/d',
      'postgres://u:p@first,second:0/d',
      'postgres://u:p@first,second:port/d',
      'postgres://u:%ff@first,second/d',
      'postgres://u:p@/d?host=first,second',
      'postgres://u:p@first,second/d?target_session_attrs=any',
    ],
    CACHE_URL: ['memory', 'http://cache.example', 'redis:', 'redis://:p@h:port', 'redis://:p%@h'],
    CHAT_API_URL: ['discord.com/api', 'javascript:alert(1)'],
    PORT: ['-1', '65536', '80.5', '0x50', 'http', '1e3'],
    WORKERS: ['0', '65', 'two'],
    SESSION_TTL_SEC: ['0', '-1', '1.5', 'forever', '9'.repeat(17)],
    MAX_WEBHOOKS_PER_PROJECT: ['0', '101'],
    MEMBER_ACTIVITY_THRESHOLD_DAYS: ['0', '366'],
    RETENTION_USAGE_DAYS: ['0', '36501'],
    RETENTION_AUDIT_DAYS: ['0', '89', '36501'],
    LOG_LEVEL: ['INFO', 'trace'],
    CHAT_GATEWAY: ['yes', '1'],
    SINGLE_INSTANCE: ['1'],
  }
  test.each(Object.entries(malformed))(
    'a malformed %s is one problem that says what it must be',
    (name, values) => {
      for (const value of values) {
        const problems = problemsOf({ [name]: value })
        expect(
          problems.filter((line) => line.startsWith(`${name} must`)),
          value,
        ).toHaveLength(1)
      }
    },
  )

  // A message travels to logs, terminals and issue trackers; the input may be a secret, in any variable.
  test('no message ever contains a value, in any variable', () => {
    const anyName = fc.constantFrom(...table.map(({ name }) => name))
    const secret = fc.stringMatching(/^[A-Za-z0-9_.!-]{12,40}$/)
    fc.assert(
      fc.property(
        anyName,
        secret,
        fc.constantFrom('', 'postgres://u:', 'https://u:', 'redis://:', '"', ' '),
        (name, text, before) => {
          for (const mode of ['production', 'development']) {
            const { problems, warnings } = loadConfig({
              ...production,
              NODE_ENV: mode,
              [name]: `${before}${text}`,
            })
            for (const line of [...problems, ...warnings]) expect(line).not.toContain(text)
          }
        },
      ),
      { numRuns: 500 },
    )
  })

  test('an unknown NODE_ENV is production, with a warning; none, development and test are not', () => {
    for (const mode of ['prod', 'PRODUCTION', 'Production', 'production ', 'staging', 'true']) {
      const loaded = loadConfig({ ...production, NODE_ENV: mode })
      expect(loaded.config.production, mode).toBe(true)
      expect(loaded.warnings).toHaveLength(1)
    }
    for (const mode of [undefined, '', 'development', 'test']) {
      const loaded = loadConfig({ ...production, NODE_ENV: mode })
      expect(loaded.config.production).toBe(false)
      expect(loaded.warnings).toEqual([])
    }
  })

  test('what only two values together get wrong is found', () => {
    const found = (more: Record<string, string>) => problemsOf(more).join('\n')
    expect(found({ CACHE_URL: 'memory:' })).toMatch(/SINGLE_INSTANCE=true/)
    expect(found({ CACHE_URL: 'memory:', SINGLE_INSTANCE: 'true' })).toBe('')
    expect(found({ CACHE_URL: 'memory:', DATABASE_URL: 'pglite:data' })).toBe('')
    expect(found({ DATABASE_URL: 'pglite:data', WORKERS: '2' })).toMatch(
      /^WORKERS above 1 requires PostgreSQL/,
    )
    expect(found({ CACHE_URL: 'memory:', SINGLE_INSTANCE: 'true', WORKERS: '2' })).toMatch(
      /^WORKERS above 1 requires a shared cache/,
    )
  })

  test('without anything set, the values are those of the documentation', () => {
    expect(loadConfig({}).config).toMatchObject({
      host: '127.0.0.1',
      port: 3000,
      publicUrl: 'http://127.0.0.1:3000',
      databaseUrl: 'pglite:.rolecall/db',
      cacheUrl: 'memory:',
      chatApiUrl: 'https://discord.com/api',
      chatAuthorizeUrl: 'https://discord.com/oauth2/authorize',
      chatGateway: true,
      trustProxy: [],
      workers: 1,
      sessionTtlSec: 2_592_000,
      sessionMaxAgeSec: 7_776_000,
      adminSessionTtlSec: 43_200,
      ssoTtlSec: 86_400,
      permissionTtlMs: 60_000,
      projectAccessTtlMs: 60_000,
      projectAuthTtlMs: 60_000,
      statsTtlMs: 300_000,
      rateLimitGlobal: 12_000,
      rateLimitGlobalTtlMs: 60_000,
      maxWebhooksPerProject: 10,
      memberActivityThresholdDays: 30,
    })
  })
})
