import type { Grant } from '../oauth2/grants.ts'
import type { Platform } from '../platform.ts'

export type Caller =
  | { kind: 'none' }
  | { kind: 'bot' }
  | { kind: 'bearer'; grant: Grant }
  | { kind: 'invalid' }

/** Who the `Authorization` header says is calling. */
export function identify(platform: Platform, authorization: string | undefined): Caller {
  if (!authorization) return { kind: 'none' }
  const [scheme = '', token = ''] = authorization.split(' ', 2)
  if (scheme === 'Bot') return { kind: token === platform.world.application.botToken ? 'bot' : 'invalid' }
  if (scheme !== 'Bearer') return { kind: 'none' }
  const grant = platform.grants.findByAccessToken(token)
  return grant ? { kind: 'bearer', grant } : { kind: 'invalid' }
}
