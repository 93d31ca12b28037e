import type { Grant, Grants } from '../oauth2/grants.ts'

export type Caller =
  | { kind: 'none' }
  | { kind: 'bot' }
  | { kind: 'bearer'; grant: Grant }
  | { kind: 'invalid' }

/** Identifies the caller by the `Authorization` header: the bot, a user with an access token, or neither. */
export function identify(botToken: string, grants: Grants, authorization: string | undefined): Caller {
  if (!authorization) return { kind: 'none' }
  const [scheme = '', token = ''] = authorization.split(' ', 2)
  if (scheme === 'Bot') return { kind: token === botToken ? 'bot' : 'invalid' }
  if (scheme !== 'Bearer') return { kind: 'none' }
  const grant = grants.findByAccessToken(token)
  return grant ? { kind: 'bearer', grant } : { kind: 'invalid' }
}
