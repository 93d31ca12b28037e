import { Agent, request } from 'node:http'
import type { Project } from '../soak/ledger.ts'
import { club } from '../soak/place.ts'
import type { Claim } from './claim.ts'

/** A question about a claim: a request in one of the six ways, with the right way to read its response. */
export interface Question {
  readonly kind:
    | 'validate'
    | 'userinfo'
    | 'introspection'
    | 'forward-auth'
    | 'permission check'
    | 'one member'
  readonly claim: Claim
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Returns true if a response confirms the claim, false if it denies it, and undefined if it does neither. */
  readonly read: (status: number, body: string) => boolean | undefined
}

export const host = 'wiki.example.org'
/** The headers that a reverse proxy sends. */
export const proxyHeaders = {
  'x-forwarded-proto': 'https',
  'x-forwarded-host': host,
  'x-forwarded-uri': '/page',
  'x-forwarded-method': 'GET',
}

const byStatus = (status: number) => (status === 200 ? true : status === 401 ? false : undefined)
const byScope = (status: number) => (status === 200 ? true : status === 403 ? false : undefined)
const byField = (name: string) => (status: number, body: string) =>
  status === 200 ? JSON.parse(body)[name] === true : undefined
const json = { 'content-type': 'application/json' }
/** Returns the `Authorization` header of a client of OpenID Connect. */
export const basic = ({ id, key }: Project) => `Basic ${Buffer.from(`${id}:${key}`).toString('base64')}`

/** Returns the question whether a session is live. */
export const aboutSession = ({ key }: Project, token: string, claim: Claim): readonly Question[] => [
  {
    ...{ kind: 'validate', claim, method: 'POST', path: '/api/auth/validate', read: byStatus },
    headers: { ...json, 'x-api-key': key },
    body: JSON.stringify({ token }),
  },
]

/** Returns the questions whether an access token is valid: by userinfo and by introspection. */
export const aboutAccessToken = (project: Project, token: string, claim: Claim): readonly Question[] => [
  {
    ...{ kind: 'userinfo', claim, method: 'GET', path: '/oidc/me', read: byStatus },
    headers: { authorization: `Bearer ${token}` },
  },
  {
    ...{ kind: 'introspection', claim, method: 'POST', path: '/oidc/introspect', read: byField('active') },
    headers: { authorization: basic(project), 'content-type': 'application/x-www-form-urlencoded' },
    body: `token=${token}`,
  },
]

/** Returns the question whether the session of a protected host is live. */
export const aboutHostSession = (cookie: string, claim: Claim): readonly Question[] => [
  {
    ...{ kind: 'forward-auth', claim, method: 'GET', path: '/api/forward-auth', read: byStatus },
    headers: { ...proxyHeaders, cookie },
  },
]

/** Returns the question whether a member is in the server, by a permission check. */
export const aboutMember = ({ key }: Project, memberId: string, claim: Claim): readonly Question[] => [
  {
    ...{ kind: 'permission check', claim, method: 'POST', read: byField('allowed') },
    path: `/api/servers/${club}/permissions/check`,
    headers: { ...json, 'x-api-key': key },
    body: JSON.stringify({ memberId }),
  },
]

/** Returns the question whether a project may read members, by a read of one member. */
export const aboutScope = ({ key }: Project, memberId: string, claim: Claim): readonly Question[] => [
  {
    ...{ kind: 'one member', claim, method: 'GET', read: byScope },
    path: `/api/servers/${club}/members/${memberId}`,
    headers: { 'x-api-key': key },
  },
]

/** The timeout in milliseconds. It is longer than any wait in the service. */
const timeoutMs = 15_000
const agent = new Agent({ keepAlive: true, maxSockets: 256 })

/** Sends a question to an instance. Resolves to the answer, or to undefined if there is none, e.g. during an outage. */
export function send(
  url: string,
  { method, path, headers, body, read }: Question,
): Promise<boolean | undefined> {
  return new Promise((resolve) => {
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
    const sent = request(url + path, {
      method,
      agent,
      timeout: timeoutMs,
      headers: { ...headers, ...length },
    })
    sent.once('timeout', () => sent.destroy())
    sent.once('error', () => resolve(undefined))
    sent.once('response', (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (part: string) => {
        text += part
      })
      response.once('error', () => resolve(undefined))
      response.once('end', () => resolve(read(response.statusCode ?? 0, text)))
    })
    sent.end(body)
  })
}
