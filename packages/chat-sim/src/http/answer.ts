import type { Platform } from '../platform.ts'
import type { Call, Reply } from './call.ts'
import { faultReply, withoutMembers } from './fault-reply.ts'
import type { Fault } from './faults.ts'
import { errorReply, PlatformError, unauthorized } from './platform-error.ts'
import { rateLimited } from './rate-limited.ts'
import type { Route } from './route.ts'
import type { RouteName } from './route-names.ts'

/** The routes without a caller. They are rate-limited by address. */
const byAddress: readonly RouteName[] = ['token', 'webhook']

/** Responds like the platform. Runs the checks that come before every route, in the platform's order. */
export async function answer(
  platform: Platform,
  route: Route,
  call: Call,
  fault: Fault | undefined,
): Promise<Reply> {
  const broken = fault && faultReply(fault)
  if (broken) return broken
  try {
    checkCaller(route, call)
    const isByAddress = byAddress.includes(route.name)
    if (route.auth === 'none' && !isByAddress) return await route.handle(platform, call)
    const limited = platform.rateLimits.check(route, call)
    // The token endpoint does not reveal its bucket, but only how long to wait.
    if (route.name === 'token') {
      if (!('refusal' in limited)) return await route.handle(platform, call)
      const { 'retry-after': wait = '1' } = limited.refusal.headers
      return rateLimited({ headerless: true, retryAfterSec: Number(wait) })
    }
    if ('refusal' in limited) return limited.refusal
    const reply = await handled(platform, route, call)
    return withHeaders(fault?.leavesOut ? withoutMembers(reply, fault.leavesOut) : reply, limited.headers)
  } catch (error) {
    return refusal(error)
  }
}

function checkCaller(route: Route, { caller: { kind } }: Call): void {
  if (route.auth === 'none') return
  const isAllowed = (kind === 'bot' && route.auth !== 'user') || (kind === 'bearer' && route.auth !== 'bot')
  if (!isAllowed) throw unauthorized()
}

/** Runs a route. Refusals become replies here, so that they get rate-limit headers, too. */
async function handled(platform: Platform, route: Route, call: Call): Promise<Reply> {
  try {
    return await route.handle(platform, call)
  } catch (error) {
    return refusal(error)
  }
}

function refusal(error: unknown): Reply {
  if (error instanceof PlatformError) return errorReply(error)
  throw error
}

const withHeaders = (reply: Reply, headers: Record<string, string>): Reply => ({
  ...reply,
  headers: { ...reply.headers, ...headers },
})
