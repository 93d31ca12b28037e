import { json, type Reply } from './call.ts'
import type { Fault } from './faults.ts'
import { rateLimited } from './rate-limited.ts'

const page = (title: string) =>
  `<!DOCTYPE html><html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`

const htmlReply = (status: number, title: string): Reply => ({
  status,
  headers: { 'content-type': 'text/html; charset=UTF-8' },
  body: page(title),
})

const messages: Record<number, string> = {
  401: '401: Unauthorized',
  403: '403: Forbidden',
  404: '404: Not Found',
  500: '500: Internal Server Error',
  502: '502: Bad Gateway',
  503: '503: Service Unavailable',
  504: '504: Gateway Timeout',
}

/** The messages for the JSON codes that tests are likely to use. */
const codeMessages: Record<number, string> = {
  10004: 'Unknown Guild',
  10007: 'Unknown Member',
  10013: 'Unknown User',
  10015: 'Unknown Webhook',
  40001: 'Unauthorized',
  40333: 'internal network error',
  50001: 'Missing Access',
  50013: 'Missing Permissions',
  50027: 'Invalid Webhook Token',
  50035: 'Invalid Form Body',
}

/** Returns the reply that replaces the route's own, if the fault has one. */
export function faultReply(fault: Fault): Reply | undefined {
  if (fault.html200) return htmlReply(200, 'Just a moment...')
  const { status } = fault
  if (status === undefined) return undefined
  if (status === 429) return rateLimited(fault)
  const code = fault.code ?? 0
  const message = fault.message ?? codeMessages[code] ?? messages[status] ?? `${status}`
  return fault.html ? htmlReply(status, message) : json({ message, code }, status)
}

/** Removes members from a reply with a list of members. */
export function withoutMembers(reply: Reply, ids: readonly string[]): Reply {
  const listed: unknown = JSON.parse(String(reply.body))
  if (!Array.isArray(listed)) return reply
  return { ...reply, body: JSON.stringify(listed.filter(({ user }) => !ids.includes(user?.id))) }
}
