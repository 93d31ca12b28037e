import { addressProblem, keyProblem } from '../connection.ts'
import type { CacheOptions } from '../session-cache.ts'
import { readVariable } from './environment.ts'
import type { ChooseLanguage, OnRefused, Pages } from './page-details.ts'

/** Stores sessions outside the cookie, e.g. in Redis. All instances of the app must share the store. */
export interface SessionStore {
  get(id: string): Promise<string | null | undefined>
  set(id: string, value: string, ttlSec: number): Promise<unknown>
  delete(id: string): Promise<unknown>
}

/** Options of `createRolecall()`. The first six can also be environment variables. An option overrides its variable. */
export interface SiteOptions {
  /** `ROLECALL_URL`: the address of the service, as browsers use it, e.g. `https://id.example`. */
  readonly url?: string
  /** `ROLECALL_API_KEY`: the project's API key, `rck_…`. */
  readonly apiKey?: string
  /** `ROLECALL_CLIENT_ID`: the project's ID. */
  readonly clientId?: string
  /** `ROLECALL_SERVER_ID`: the ID of the Discord server. Only its members may sign in. */
  readonly serverId?: string
  /**
   * `ROLECALL_APP_URL`: the address of this app, as browsers use it, without a path. It is never taken from a request,
   * because the sender chooses the `Host`.
   */
  readonly appUrl?: string
  /**
   * `ROLECALL_SECRET`: at least 32 random characters, with which cookies are sealed. To replace the secret, put the new
   * one before the old one, in a list, or separated by a comma in the variable. The first secret seals, and all of them
   * open.
   */
  readonly secret?: string | readonly string[]
  /** The path of the sign-in routes. Default `/auth`. */
  readonly authPath?: string
  /** The address to which a browser goes after a logout. Default `/`, or the page `pages.signedOut` if it exists. */
  readonly afterLogout?: string
  /** Skips Discord's consent screen in a browser that has signed in to any project before. Default false. */
  readonly sso?: boolean
  /** See `RolecallOptions`. Default true. Use `false` if the process does not live longer than a request. */
  readonly cache?: boolean | CacheOptions
  /** Stores sessions. The cookie then contains only an ID. By default, the cookie contains the sealed session. */
  readonly store?: SessionStore
  /** The `fetch` to use for requests to the service. Default: the `fetch` of the runtime. */
  readonly fetch?: typeof fetch
  /**
   * Pages of the app that replace those of this library. Each function receives the texts in the language of the
   * visitor, and returns HTML or a `Response`. If it throws, `onError` is called, and the page of this library is
   * shown. Programs always receive problem JSON.
   */
  readonly pages?: Pages
  /**
   * Called with the reason when a person is refused, e.g. to count refusals or to redirect to an invite. It may return
   * the page to show. If it returns nothing, `pages.refused` is shown.
   */
  readonly onRefused?: OnRefused
  /**
   * Chooses the language of the pages as a BCP 47 tag, e.g. `() => 'de'` for an app in German. Also applies to the
   * pages of the service. Default: the language of the visitor's browser.
   */
  readonly language?: ChooseLanguage
  /**
   * Called with the reason for a 503 or a failed sign-in, and with errors that `pages` throw. Default `console.error`.
   */
  readonly onError?: (error: unknown) => void
}

/** The options after they were checked and completed. */
export interface Settings {
  readonly url: string
  readonly apiKey: string
  readonly clientId: string
  readonly serverId: string
  /** The origin of the app, without a trailing slash. */
  readonly appUrl: string
  readonly secrets: readonly string[]
  readonly authPath: string
  readonly afterLogout: string
  readonly sso: boolean
  readonly cache: boolean | CacheOptions
  readonly store: SessionStore | undefined
  readonly fetch: typeof fetch | undefined
  readonly pages: Pages
  readonly onRefused: OnRefused | undefined
  readonly language: ChooseLanguage | undefined
  readonly onError: (error: unknown) => void
}

const variables = {
  url: ['ROLECALL_URL', 'the address of the service, e.g. https://id.example'],
  apiKey: ['ROLECALL_API_KEY', 'the key of the project, rck_…'],
  clientId: ['ROLECALL_CLIENT_ID', 'the ID of the project'],
  serverId: ['ROLECALL_SERVER_ID', 'the ID of the Discord server for sign-in'],
  appUrl: ['ROLECALL_APP_URL', 'the address of this app for browsers, e.g. https://crew.example'],
  secret: ['ROLECALL_SECRET', 'at least 32 random characters, e.g. from `openssl rand -hex 32`'],
} as const

/**
 * Reads the settings from the options and the environment.
 *
 * @throws TypeError that names each missing or invalid setting, but not its value
 */
export function readSettings(options: SiteOptions): Settings {
  const problems: string[] = []
  const read = (name: keyof typeof variables): string => {
    const value = options[name] ?? readVariable(variables[name][0])
    const text = [value ?? ''].flat().join()
    if (text === '') problems.push(`${variables[name][0]} is missing: ${variables[name][1]}.`)
    return text
  }
  const refuse = (name: keyof typeof variables, value: string, problem: string | undefined) => {
    if (value !== '' && problem) problems.push(`${variables[name][0]} ${problem}.`)
  }
  const check = (name: keyof typeof variables, value: string, isRight: boolean, rule: string) =>
    refuse(name, value, isRight ? undefined : rule)
  const [url, apiKey, clientId] = [read('url'), read('apiKey'), read('clientId')]
  const [serverId, appUrl, secret] = [read('serverId'), read('appUrl'), read('secret')]
  // Splits only the variable at commas, because a secret from the options may contain one.
  const secrets = (options.secret ? [options.secret].flat() : secret.split(',')).map((one) => one.trim())
  const app = parse(appUrl)
  refuse('url', url, addressProblem(url))
  refuse('apiKey', apiKey, keyProblem(apiKey))
  check('clientId', clientId, /^[\w-]+$/.test(clientId), 'must be the ID of a project')
  check('serverId', serverId, /^\d+$/.test(serverId), 'must be the ID of a Discord server, digits only')
  const isOrigin = app !== undefined && app.pathname === '/' && app.search + app.hash + app.username === ''
  check('appUrl', appUrl, isOrigin, 'must be an http(s) address without a path')
  const isSafe =
    app?.protocol !== 'http:' || /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(app.hostname)
  check('appUrl', appUrl, isSafe, 'must begin with https://, except for an app on this machine')
  const isLong = secrets.every(({ length }) => length >= 32)
  check('secret', secret, isLong, 'must have at least 32 characters each')
  if (problems.length > 0) {
    throw new TypeError(`createRolecall() cannot start:\n${problems.map((one) => `- ${one}`).join('\n')}`)
  }
  const { sso = false, cache = true, store, fetch, pages = {}, onRefused, language } = options
  const authPath = `/${(options.authPath ?? 'auth').replace(/^\/+|\/+$/g, '')}`
  const afterLogout = options.afterLogout ?? (pages.signedOut ? `${authPath}/signed-out` : '/')
  return {
    url: url.replace(/\/+$/, ''),
    apiKey,
    clientId,
    serverId,
    appUrl: app?.origin ?? '',
    secrets,
    authPath,
    afterLogout,
    sso,
    cache,
    store,
    fetch,
    pages,
    onRefused,
    language,
    onError: options.onError ?? console.error,
  }
}

function parse(text: string): URL | undefined {
  try {
    const url = new URL(text)
    return /^https?:$/.test(url.protocol) ? url : undefined
  } catch {
    return undefined
  }
}
