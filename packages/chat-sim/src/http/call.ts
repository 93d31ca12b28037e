import type { Caller } from './caller.ts'

/** A request as a route sees it: the whole message without the socket. */
export interface Call {
  method: string
  /** Scheme and host as the client sent them, for addresses in replies. */
  origin: string
  path: string
  query: URLSearchParams
  params: Readonly<Record<string, string>>
  headers: Readonly<Record<string, string | string[] | undefined>>
  body: Buffer
  caller: Caller
}

export interface Reply {
  status: number
  headers: Record<string, string | string[]>
  body?: string | Buffer
}

export const param = (call: Call, name: string): string => call.params[name] ?? ''

/** Returns a header that may be sent once. */
export function header(call: Pick<Call, 'headers'>, name: string): string {
  const value = call.headers[name]
  return typeof value === 'string' ? value : ''
}

export const json = (value: unknown, status = 200, headers: Reply['headers'] = {}): Reply => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(value),
})

export const noContent = (): Reply => ({ status: 204, headers: {} })

export const redirect = (location: string, status = 302, headers: Reply['headers'] = {}): Reply => ({
  status,
  headers: { location, 'cache-control': 'no-store', ...headers },
})

/** The platform keeps repeated fields as lists; a form of its OAuth endpoints has none. */
export const form = (call: Call): URLSearchParams => new URLSearchParams(call.body.toString('utf8'))
