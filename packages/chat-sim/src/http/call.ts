import type { Caller } from './caller.ts'

/** A request as a route sees it: the whole message, but not the socket. */
export interface Call {
  method: string
  /** The scheme and host of the request, for addresses in replies. */
  origin: string
  path: string
  query: URLSearchParams
  params: Readonly<Record<string, string>>
  headers: Readonly<Record<string, string | string[] | undefined>>
  body: Buffer
  caller: Caller
}

/** The response of a route. */
export interface Reply {
  status: number
  headers: Record<string, string | string[]>
  body?: string | Buffer
}

/** Returns a parameter of the path. */
export const param = (call: Call, name: string): string => call.params[name] ?? ''

/** Returns a header, or an empty text. Use it for headers that can be sent only once. */
export function header(call: Pick<Call, 'headers'>, name: string): string {
  const value = call.headers[name]
  return typeof value === 'string' ? value : ''
}

/** Returns a response with JSON. */
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

/** Returns the fields of a form in the body. The platform's OAuth forms have no repeated fields. */
export const form = (call: Call): URLSearchParams => new URLSearchParams(call.body.toString('utf8'))
