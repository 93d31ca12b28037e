import { isIP } from 'node:net'
import { availableParallelism } from 'node:os'
import { type EditableRow, formats, type settings, settingTable } from '@rolecall/contract'
import { cacheUrlForms, isCacheUrl } from '#platform/cache/cache-url'
import { guessableBecause } from '#platform/crypto/guessable-key'
import { databaseUrlProblem } from '#platform/db/database-url'
import { isAddressOrNetwork } from '#platform/http/network'
import { isLoopbackHost } from '#platform/loopback'
import { parseUrl } from '#platform/parse-url'
import type { Environment } from './process/environment.ts'
import { type Given, givenSecret } from './process/secret-files.ts'

/** An environment variable: how it is read, what it means, and its default. */
export interface Variable<T = unknown> {
  readonly name: string
  readonly group:
    | 'Discord'
    | 'Storage'
    | 'HTTP'
    | 'Sessions'
    | 'Caches and limits'
    | 'Retention'
    | 'Operation'
  readonly meaning: string
  readonly required?: true
  readonly secret?: true
  /** The default, as a person would write it. Undefined means "not set". */
  readonly default?: string
  /** True if the default is derived from other values. `default` then only describes it. */
  readonly isDerived?: true
  /** Returns the value, or a problem that completes the sentence "NAME …". */
  readonly read: (text: string) => T | Problem
}

/** A problem with a value. */
class Problem {
  readonly what: string
  constructor(what: string) {
    this.what = what
  }
}

const problem = (what: string) => new Problem(what)
const text = (value: string) => value
/**
 * Reads a secret that Discord issued. HTTP headers cannot contain other characters, such as the `…` of a guide. Each
 * request would fail, and Discord would seem to be down.
 */
const issuedSecret = (value: string) =>
  /^[\x21-\x7e]+$/.test(value)
    ? value
    : problem('contains a space or a character that Discord does not use in secrets. Copy it again')
const hexKey = (value: string) =>
  /^[0-9a-f]{64}$/i.test(value) ? value : problem('must be 64 hexadecimal characters: openssl rand -hex 32')
const snowflake = (value: string) =>
  formats.snowflake(value) ? value : problem('must be a Discord ID: 17 to 20 digits')
const integer = (min: number, max: number) => (value: string) =>
  /^\d{1,16}$/.test(value) && Number(value) >= min && Number(value) <= max
    ? Number(value)
    : problem(`must be a whole number of at least ${min} and at most ${max}`)
/**
 * Ten years in seconds. With this maximum, every time that is computed from a value fits into a date, a cookie, and a
 * column.
 */
const maxSec = 315_360_000
/** Stands for `WORKERS=auto`, which is decided after all variables have been read. */
const auto = 0
const oneOf =
  <const W extends string>(...words: W[]) =>
  (value: string) =>
    words.find((word) => word === value) ?? problem(`must be one of ${words.join(', ')}`)
const flag = (value: string) =>
  value === 'true' || value === 'on'
    ? true
    : value === 'false' || value === 'off'
      ? false
      : problem('must be true or false (or on or off)')

function httpUrl(value: string): URL | Problem {
  const url = parseUrl(value)
  if (!url || !/^https?:$/.test(url.protocol))
    return problem('must be a complete address that begins with http:// or https://')
  if (url.username || url.password || url.hash) return problem('must not contain a user name or a fragment')
  return url
}
const base = (value: string) => {
  const url = httpUrl(value)
  return url instanceof Problem ? url : url.href.replace(/\/$/, '')
}
const callbackUrl = (value: string) => {
  const url = httpUrl(value)
  if (url instanceof Problem) return url
  if (url.pathname !== '/api/auth/callback' || url.search) return problem('must end in /api/auth/callback')
  return value
}
const databaseUrl = (value: string) => {
  const wrong = databaseUrlProblem(value)
  return wrong === undefined ? value : problem(wrong)
}
const cacheUrl = (value: string) => (isCacheUrl(value) ? value : problem(`must be ${cacheUrlForms}`))
const host = (value: string) =>
  isIP(value) || /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(value)
    ? value
    : problem('must be an IP address or host name of this machine, without a port: 127.0.0.1, 0.0.0.0, ::')
function proxies(value: string) {
  const entries = value.split(',').map((one) => one.trim())
  const given = entries.filter(Boolean)
  return given.every(isAddressOrNetwork)
    ? given
    : problem('must be addresses or networks, comma-separated, like 10.0.0.0/8 or ::1')
}
/**
 * Returns the name, the meaning, and the bounds of a setting that can also be changed while the service runs. The
 * contract defines them.
 */
const changeable = ({ variables: [name], meaning, editable: { min, max } }: EditableRow) => ({
  ...{ name, meaning },
  read: integer(min, max),
})

/**
 * All variables of the service. The page of the reference about configuration is generated from this table. NODE_ENV
 * and NODE_OPTIONS are not in it, because they belong to Node.js.
 */
export const variables = {
  chatBotToken: {
    name: 'CHAT_BOT_TOKEN',
    group: 'Discord',
    required: true,
    secret: true,
    meaning: 'The token of the Discord bot: in the Discord developer portal, under Bot.',
    read: issuedSecret,
  },
  chatClientId: {
    name: 'CHAT_CLIENT_ID',
    group: 'Discord',
    required: true,
    meaning: 'The ID of the Discord application: in the Discord developer portal, under General Information.',
    read: snowflake,
  },
  chatClientSecret: {
    name: 'CHAT_CLIENT_SECRET',
    group: 'Discord',
    required: true,
    secret: true,
    meaning: 'The client secret of the Discord application: in the Discord developer portal, under OAuth2.',
    read: issuedSecret,
  },
  chatGuildId: {
    name: 'CHAT_GUILD_ID',
    group: 'Discord',
    required: true,
    meaning:
      'The ID of the main server, whose roles decide who is a System Admin. To copy IDs in Discord, turn on ' +
      'its developer mode.',
    read: snowflake,
  },
  chatAdminRoleId: {
    name: 'CHAT_ADMIN_ROLE_ID',
    group: 'Discord',
    required: true,
    meaning: 'The ID of the role for System Admins in the main server.',
    read: snowflake,
  },
  chatAuditorRoleId: {
    name: 'CHAT_AUDITOR_ROLE_ID',
    group: 'Discord',
    meaning:
      'The ID of the role for auditors in the main server. Auditors can read everything and change nothing. If ' +
      'not set, there are no auditors.',
    read: snowflake,
  },
  chatCallbackUrl: {
    name: 'CHAT_CALLBACK_URL',
    group: 'Discord',
    required: true,
    meaning:
      'The address to which Discord redirects after a sign-in: `PUBLIC_URL` with `/api/auth/callback`. ' +
      'Register it as a redirect of the Discord application.',
    read: callbackUrl,
  },
  chatApiUrl: {
    name: 'CHAT_API_URL',
    group: 'Discord',
    default: 'https://discord.com/api',
    meaning: 'The address of Discord’s REST API, without the version.',
    read: base,
  },
  chatAuthorizeUrl: {
    name: 'CHAT_AUTHORIZE_URL',
    group: 'Discord',
    default: 'https://discord.com/oauth2/authorize',
    meaning: 'The address of Discord’s OAuth screen.',
    read: base,
  },
  chatCdnUrl: {
    name: 'CHAT_CDN_URL',
    group: 'Discord',
    default: 'https://cdn.discordapp.com',
    meaning: 'The address of Discord’s images. The service reads images from no other host.',
    read: base,
  },
  chatGateway: {
    name: 'CHAT_GATEWAY',
    group: 'Discord',
    default: 'on',
    meaning:
      '`off`: the service does not connect to Discord’s gateway, so roles are not live. They are read with ' +
      'REST when they are older than `PERMISSION_TTL_MS`.',
    read: flag,
  },
  databaseUrl: {
    name: 'DATABASE_URL',
    group: 'Storage',
    required: true,
    secret: true,
    default: 'pglite:.rolecall/db',
    meaning:
      'The database: `postgres://…`, or `pglite:<folder>` or `pglite::memory:` for the embedded one. The ' +
      'default applies only outside production. `postgres://user@first,second:5433/database` lists several ' +
      'hosts, and the service uses the one that accepts writes.',
    read: databaseUrl,
  },
  cacheUrl: {
    name: 'CACHE_URL',
    group: 'Storage',
    secret: true,
    default: 'memory:',
    meaning:
      'The cache: `redis://…`, `rediss://…`, `redis+sentinel://host,host/name`, `redis+cluster://host,host`, ' +
      'or `memory:` for a single instance.',
    read: cacheUrl,
  },
  singleInstance: {
    name: 'SINGLE_INSTANCE',
    group: 'Storage',
    default: 'false',
    meaning:
      '`true` confirms that only one instance runs. In production, `CACHE_URL=memory:` with PostgreSQL ' +
      'requires it.',
    read: flag,
  },
  outboundKey: {
    name: 'OUTBOUND_WEBHOOK_ENCRYPTION_KEY',
    group: 'Storage',
    required: true,
    secret: true,
    meaning:
      '64 hexadecimal characters (`openssl rand -hex 32`). This key encrypts webhook addresses, event ' +
      'secrets, OpenID Connect signing keys, and the gateway handover, and it signs the OpenID Connect ' +
      'cookies. If it is lost or changed, what it encrypted cannot be read.',
    read: hexKey,
  },
  inboundKey: {
    name: 'INBOUND_WEBHOOK_ENCRYPTION_KEY',
    group: 'Storage',
    required: true,
    secret: true,
    meaning:
      '64 hexadecimal characters (`openssl rand -hex 32`). This key encrypts the signing secrets of inbound ' +
      'webhooks. If it is lost or changed, they cannot be read.',
    read: hexKey,
  },
  host: {
    name: 'HOST',
    group: 'HTTP',
    default: '127.0.0.1',
    meaning: 'The IP address or host name to listen on.',
    read: host,
  },
  port: {
    name: 'PORT',
    group: 'HTTP',
    default: '3000',
    meaning: 'The port to listen on. 0 chooses a free port.',
    read: integer(0, 65_535),
  },
  publicUrl: {
    name: 'PUBLIC_URL',
    group: 'HTTP',
    required: true,
    default: 'http://HOST:PORT',
    isDerived: true,
    meaning: 'The address of the service for browsers. The default applies only outside production.',
    read: base,
  },
  trustProxy: {
    name: 'TRUST_PROXY',
    group: 'HTTP',
    default: '',
    meaning:
      'IP addresses or networks of your reverse proxies, comma-separated. The service accepts `X-Forwarded-*` ' +
      'headers only from them.',
    read: proxies,
  },
  maxConnections: {
    name: 'MAX_CONNECTIONS',
    group: 'HTTP',
    default: '10000',
    meaning:
      'The maximum number of open connections per process. Further connections are rejected. Allow at least as ' +
      'many open files (`ulimit -n`).',
    read: integer(10, 1_000_000),
  },
  workers: {
    name: 'WORKERS',
    group: 'HTTP',
    default: '1',
    meaning:
      'The number of HTTP worker processes. More than one requires PostgreSQL and a shared cache. `auto` ' +
      'starts one per core if both are configured, and otherwise one.',
    read: (value) => (value === 'auto' ? auto : integer(1, 64)(value)),
  },
  drainSec: {
    name: 'DRAIN_SEC',
    group: 'HTTP',
    default: '2',
    meaning:
      'Seconds after SIGTERM in which `/api/health/ready` reports not ready, before idle connections are ' +
      'closed. 0 closes them immediately.',
    read: integer(0, 8),
  },
  console: {
    name: 'CONSOLE',
    group: 'HTTP',
    default: 'on',
    meaning: '`off` disables the console at `/console/`. The admin API stays available.',
    read: flag,
  },
  allowPrivateEventUrls: {
    name: 'ALLOW_PRIVATE_EVENT_URLS',
    group: 'HTTP',
    default: 'false',
    meaning:
      '`true` allows private addresses in `eventsUrl`, too. Administrators of a project can then make this ' +
      'service send requests to hosts in your own network.',
    read: flag,
  },
  sessionTtlSec: {
    name: 'SESSION_TTL_SEC',
    group: 'Sessions',
    default: '2592000',
    meaning: 'The lifetime of a session in seconds. Each refresh restarts it.',
    read: integer(1, maxSec),
  },
  sessionMaxAgeSec: {
    name: 'SESSION_MAX_AGE_SEC',
    group: 'Sessions',
    default: '7776000',
    meaning: 'The maximum lifetime of a session in seconds, from the sign-in, regardless of refreshes.',
    read: integer(1, maxSec),
  },
  adminSessionTtlSec: {
    name: 'ADMIN_SESSION_TTL_SEC',
    group: 'Sessions',
    default: '43200',
    meaning: 'The lifetime of an admin session in seconds. Refreshes extend it to at most twice this time.',
    read: integer(1, maxSec),
  },
  ssoTtlSec: {
    name: 'SSO_TTL_SEC',
    group: 'Sessions',
    default: '86400',
    meaning: 'Seconds after a sign-in in which the browser can sign in again without Discord’s screen.',
    read: integer(1, maxSec),
  },
  permissionTtlMs: {
    ...changeable(settingTable.cache.permissionTtlMs),
    group: 'Caches and limits',
    default: '60000',
    read: integer(0, maxSec * 1_000),
  },
  answerMemoryMb: {
    name: 'ANSWER_MEMORY_MB',
    group: 'Caches and limits',
    default: '320',
    meaning:
      'Megabytes of memory per process for cached responses of `validate`, about 350 sessions per megabyte. At ' +
      'most a third of the memory of Node.js is used. The least recently used entries are evicted first, and ' +
      'read again when they are needed.',
    read: integer(1, 65_536),
  },
  projectAccessTtlMs: {
    name: 'PROJECT_ACCESS_TTL_MS',
    group: 'Caches and limits',
    default: '60000',
    meaning: 'Deprecated, without effect. A change of access applies to the next request.',
    read: integer(0, maxSec * 1_000),
  },
  projectAuthTtlMs: {
    name: 'PROJECT_AUTH_TTL_MS',
    group: 'Caches and limits',
    default: '60000',
    meaning: 'Deprecated, without effect. A revoked key is rejected at the next request.',
    read: integer(0, maxSec * 1_000),
  },
  statsTtlMs: {
    ...changeable(settingTable.cache.statsTtlMs),
    group: 'Caches and limits',
    default: '300000',
    read: integer(0, maxSec * 1_000),
  },
  rateLimitGlobal: {
    name: 'RATE_LIMIT_GLOBAL',
    group: 'Caches and limits',
    default: '12000',
    meaning:
      'The maximum number of requests per window for each caller: per API key, per session, or, without ' +
      'either, per IP address. 0 disables the limit. Requests with unknown session tokens have a separate ' +
      'limit of half as many, per key and IP address.',
    read: integer(0, 1_000_000_000),
  },
  rateLimitGlobalTtlMs: {
    name: 'RATE_LIMIT_GLOBAL_TTL_MS',
    group: 'Caches and limits',
    default: '60000',
    meaning: 'The length of the window of the rate limit in milliseconds.',
    read: integer(1, 86_400_000),
  },
  maxWebhooksPerProject: {
    ...changeable(settingTable.rateLimit.maxWebhooksPerProject),
    group: 'Caches and limits',
    default: '10',
  },
  memberActivityThresholdDays: {
    ...changeable(settingTable.preferences.memberActivityThresholdDays),
    group: 'Caches and limits',
    default: '30',
  },
  usageDays: {
    ...changeable(settingTable.retention.usageDays),
    group: 'Retention',
    default: '30',
  },
  authFailuresDays: {
    ...changeable(settingTable.retention.authFailuresDays),
    group: 'Retention',
    default: '30',
  },
  auditDays: {
    ...changeable(settingTable.retention.auditDays),
    group: 'Retention',
    default: '36500',
  },
  submissionsDays: {
    ...changeable(settingTable.retention.submissionsDays),
    group: 'Retention',
    default: '36500',
  },
  sessionAddressesDays: {
    ...changeable(settingTable.retention.sessionAddressesDays),
    group: 'Retention',
    default: '36500',
  },
  logLevel: {
    name: 'LOG_LEVEL',
    group: 'Operation',
    default: 'info',
    meaning: 'The lowest level to log: `debug`, `info`, `warn`, `error`, or `silent` for no log.',
    read: oneOf('debug', 'info', 'warn', 'error', 'silent'),
  },
  otlpEndpoint: {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    group: 'Operation',
    meaning: 'The address that receives traces. If not set, no traces are sent.',
    read: base,
  },
  metricsToken: {
    name: 'METRICS_TOKEN',
    group: 'Operation',
    secret: true,
    meaning:
      'The Bearer token for `/metrics`, at least 16 characters. If not set, only requests from the same ' +
      'machine that came through no proxy are accepted.',
    read: text,
  },
} satisfies Record<string, Variable> & Record<settings.EditableSetting, Variable<number>>

type Table = typeof variables
type Read<V extends Variable> = Exclude<ReturnType<V['read']>, Problem>
type MaybeSet<V extends Variable> = V extends { default: string } ? Read<V> : Read<V> | undefined

/** The configuration in effect. A value without a default is undefined if its variable is not set, or is invalid. */
export type Config = { readonly [K in keyof Table]: MaybeSet<Table[K]> } & {
  readonly production: boolean
  readonly publicUrl: string
  /** The values that the environment has set. All others are defaults. */
  readonly given: readonly (keyof Table)[]
}

/** The configuration, and what is wrong with it. */
export interface LoadedConfig {
  readonly config: Config
  /** One line per problem: the variable, what is wrong, and the fix. Never contains a value, which may be a secret. */
  readonly problems: string[]
  readonly warnings: string[]
}

/** Reads and checks all variables. Only reports problems: `serve.ts` decides that they are fatal in production. */
export function loadConfig(env: Environment): LoadedConfig {
  const { production, warnings } = readMode(env)
  const problems: string[] = []
  const values: Record<string, unknown> = { production }
  const given: string[] = []
  for (const [key, variable] of Object.entries<Variable>(variables)) {
    const { value, isGiven } = readVariable(variable, env, production, problems)
    values[key] = value
    if (isGiven) given.push(key)
  }
  values['given'] = given
  if (values['publicUrl'] === undefined) {
    const host = String(values['host']).includes(':') ? `[${values['host']}]` : values['host']
    values['publicUrl'] = `http://${host}:${values['port']}`
  }
  if (values['workers'] === auto) values['workers'] = workersFor(values as unknown as Config)
  const config = values as unknown as Config
  problems.push(...conflicts(config))
  // Outside production, an unsafe value is used nevertheless, with a warning.
  const reported = new Set(problems.map(variableOf))
  const unsafe = unsafeInProduction(config).filter((line) => !reported.has(variableOf(line)))
  if (production) problems.push(...unsafe)
  else warnings.push(...unsafe)
  return { config, problems, warnings }
}

/** Returns the variable that a problem is about, without the suffix `_FILE`. */
export const variableOf = (line: string) => line.split(' ', 1)[0]?.replace(/_FILE$/, '')

function readVariable(
  variable: Variable,
  env: Environment,
  production: boolean,
  problems: string[],
): { readonly value: unknown; readonly isGiven: boolean } {
  const fallback = () => ({
    value: variable.default === undefined || variable.isDerived ? undefined : variable.read(variable.default),
    isGiven: false,
  })
  const given = givenValue(variable, env)
  if (given === undefined) {
    // The default of DATABASE_URL is for trials. In production, it must be set.
    if (variable.required && (production || variable.default === undefined)) {
      problems.push(`${variable.name} is missing: ${variable.meaning}`)
    }
    return fallback()
  }
  if ('problem' in given) {
    problems.push(given.problem)
    return fallback()
  }
  const { name, value: text } = given
  if (text !== text.trim() || /^(["']).*\1$/.test(text)) {
    problems.push(`${name} has surrounding spaces, line breaks, or quotes. Remove them.`)
    return fallback()
  }
  const value = variable.read(text)
  if (!(value instanceof Problem)) return { value, isGiven: true }
  problems.push(`${name} ${value.what}.`)
  return fallback()
}

function givenValue({ name, secret }: Variable, env: Environment): Given {
  if (secret) return givenSecret(name, env)
  if (env[`${name}_FILE`])
    return {
      problem: `${name}_FILE is not supported, because only secrets can come from files. Set ${name}.`,
    }
  const value = env[name]
  return value ? { name, value } : undefined
}

/**
 * Reads NODE_ENV. An unknown value counts as production, because a typing error must not make the service less safe.
 */
function readMode(env: Environment) {
  const mode = env['NODE_ENV']
  const known = mode === undefined || mode === '' || ['development', 'test', 'production'].includes(mode)
  const warnings = known
    ? []
    : ['NODE_ENV must be development, test, or production. It is treated as production.']
  return { production: mode === 'production' || !known, warnings }
}

const workersFor = ({ databaseUrl, cacheUrl }: Config) =>
  databaseUrl.startsWith('pglite:') || cacheUrl === 'memory:' ? 1 : Math.min(availableParallelism(), 64)

/** Finds values that are wrong only in combination. */
function conflicts(config: Config): string[] {
  const found: string[] = []
  const embedded = config.databaseUrl.startsWith('pglite:')
  if (config.workers > 1 && embedded) {
    found.push('WORKERS above 1 requires PostgreSQL. Set DATABASE_URL=postgres://… or WORKERS=1.')
  }
  if (config.production && config.cacheUrl === 'memory:' && !config.singleInstance && !embedded) {
    found.push(
      'CACHE_URL=memory: in production requires SINGLE_INSTANCE=true. Set it, or use a shared cache: CACHE_URL=redis://….',
    )
  }
  if (config.workers > 1 && config.cacheUrl === 'memory:') {
    found.push('WORKERS above 1 requires a shared cache. Set CACHE_URL=redis://….')
  }
  return found
}

/** The addresses that receive secrets and sign-ins. They must use HTTPS, except on this machine. */
const encrypted = [
  ['PUBLIC_URL', 'publicUrl'],
  ['CHAT_CALLBACK_URL', 'chatCallbackUrl'],
  ['CHAT_API_URL', 'chatApiUrl'],
  ['CHAT_AUTHORIZE_URL', 'chatAuthorizeUrl'],
] as const

/** The minimum length of METRICS_TOKEN. A shorter token could be guessed within the rate limit for unknown clients. */
const minTokenLength = 16

/** Finds settings that work but are unsafe. They are warnings in development, and errors in production. */
function unsafeInProduction(config: Config): string[] {
  const found = encrypted
    .filter(([, key]) => config[key] !== undefined && isInClear(new URL(config[key])))
    .map(([name]) => `${name} must begin with https://, except for an address of this machine.`)
  const { chatCallbackUrl: callback, publicUrl, outboundKey, inboundKey, metricsToken } = config
  if (callback && new URL(publicUrl).origin !== new URL(callback).origin) {
    found.push(
      'PUBLIC_URL and CHAT_CALLBACK_URL must have the same origin. Otherwise, browsers do not return the ' +
        'sign-in cookie.',
    )
  }
  for (const [name, key] of [
    [variables.outboundKey.name, outboundKey],
    [variables.inboundKey.name, inboundKey],
  ]) {
    const weakness = key && guessableBecause(key)
    if (weakness) found.push(`${name} can be guessed: ${weakness}. Generate another: openssl rand -hex 32.`)
  }
  if (outboundKey && outboundKey.toLowerCase() === inboundKey?.toLowerCase()) {
    found.push(
      'INBOUND_WEBHOOK_ENCRYPTION_KEY must differ from OUTBOUND_WEBHOOK_ENCRYPTION_KEY. Generate another: openssl rand -hex 32.',
    )
  }
  if (metricsToken !== undefined && metricsToken.length < minTokenLength) {
    found.push(`METRICS_TOKEN must have at least ${minTokenLength} characters: openssl rand -base64 32.`)
  }
  return found
}

const isInClear = ({ protocol, hostname }: URL) => protocol !== 'https:' && !isLoopbackHost(hostname)
