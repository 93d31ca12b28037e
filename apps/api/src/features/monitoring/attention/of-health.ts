import type { attention, monitoring } from '@rolecall/contract'
import { fullAdvice } from '#platform/db/database'

/** A problem that needs an administrator, without the title and the fix, which depend only on its code. */
export type Item = Pick<attention.Attention, 'code' | 'detail' | 'subject' | 'since'>

/** The number of remaining gateway sessions that counts as low. Discord permits a thousand a day. */
const fewSessions = 50
/** The number of refused requests that counts as high: half of the number at which Discord bans an IP address. */
const manyRefused = 5_000
/** The time after which a server without live roles is a problem. A server that comes back is read within minutes. */
const notLiveMs = 10 * 60_000

type Health = monitoring.SystemHealth
type ChatHealth = Health['chatPlatform']

/** Returns the problems in the health of the service that need an administrator. */
export function attentionOfHealth({ database, cache, chatPlatform, api }: Health): Item[] {
  // The present time by the database's clock, which `since` uses, too. This instance has just sent a heartbeat.
  const nowMs = api.instances.reduce((latest, one) => Math.max(latest, Date.parse(one.lastSeenAt)), 0)
  return [
    ...given(database.problem === fullAdvice ? 'DATABASE_FULL' : 'DATABASE_READ_ONLY', database.problem),
    ...given('CACHE_DOWN', cache.status === 'down' ? 'The cache does not respond.' : null),
    ...ofGateway(chatPlatform),
    ...ofRequests(chatPlatform),
    ...(chatPlatform.notLive ?? []).flatMap((server) => ofServer(server, nowMs)),
  ]
}

const given = (code: Item['code'], detail: string | null): Item[] =>
  detail === null ? [] : [{ code, detail, subject: null, since: null }]

function ofGateway({ gateway, problem, sessionsLeft }: ChatHealth): Item[] {
  const left = sessionsLeft ?? Number.POSITIVE_INFINITY
  const isDown = gateway === 'closed' || gateway === 'connecting'
  return [
    ...given('GATEWAY_REFUSED', gateway === 'refused' ? (problem ?? 'The connection was rejected.') : null),
    ...given('GATEWAY_DOWN', isDown ? (problem ?? `The gateway is ${gateway}.`) : null),
    ...given(
      'IDENTIFY_BUDGET_LOW',
      left < fewSessions ? `${left} new sessions are left until the platform resets its count.` : null,
    ),
  ]
}

function ofRequests({ status, gateway, problem, rest }: ChatHealth): Item[] {
  const isDown = status === 'down' && gateway !== 'refused'
  const refused = rest.invalidRequests > manyRefused || rest.breaker.length > 0
  const held = rest.breaker.length > 0 ? ` Requests paused: ${rest.breaker.join(', ')}.` : ''
  return [
    ...given('CHAT_PLATFORM_DOWN', isDown ? (problem ?? 'Discord does not respond.') : null),
    ...given(
      'CHAT_REQUESTS_REFUSED',
      refused ? `${rest.invalidRequests} requests were refused in the last ten minutes.${held}` : null,
    ),
  ]
}

function ofServer(
  { serverId, serverName, reason, since }: NonNullable<ChatHealth['notLive']>[number],
  nowMs: number,
): Item[] {
  const subject = { type: 'server' as const, id: serverId, name: serverName }
  if (reason === 'lost')
    return [{ code: 'BOT_NOT_IN_SERVER', detail: `The bot is no longer in ${serverName}.`, subject, since }]
  if (nowMs - Date.parse(since) < notLiveMs) return []
  const why = reason === 'unavailable' ? 'Discord has an outage there' : 'its members are still being read'
  return [{ code: 'SERVER_NOT_LIVE', detail: `${serverName}: ${why}.`, subject, since }]
}
