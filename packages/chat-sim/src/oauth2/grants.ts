import { randomBytes } from 'node:crypto'
import type { Clock } from '../clock.ts'

/** The rights of an access token. */
export interface Grant {
  userId: string
  scopes: readonly string[]
  accessToken: string
  refreshToken: string
  expiresAt: number
}

/** A code that was issued, and what the exchange must match. */
export interface Code {
  code: string
  userId: string
  scopes: readonly string[]
  /** The redirect URI of the authorize request. Undefined if it had none. */
  redirectUri: string | undefined
  challenge: string | undefined
  challengeMethod: string | undefined
  nonce: string | undefined
  expiresAt: number
}

/** The lifetimes of codes and tokens, as on the platform: 100 seconds by its staff's statement, and 7 days. */
const codeSec = 100
export const tokenSec = 604_800

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const mintToken = (length = 30): string =>
  Array.from(randomBytes(length), (byte) => letters[byte % letters.length]).join('')

/** Creates the store of the application's codes and tokens, and of the scopes that users have approved. */
export function createGrants(clock: Clock) {
  const codes = new Map<string, Code>()
  const byAccess = new Map<string, Grant>()
  const approved = new Map<string, Set<string>>()

  return {
    issueCode(input: Omit<Code, 'code' | 'expiresAt'>): string {
      const code = mintToken()
      for (const [text, old] of codes) if (old.expiresAt <= clock.now()) codes.delete(text)
      codes.set(code, { ...input, code, expiresAt: clock.now() + codeSec * 1_000 })
      approved.set(input.userId, new Set([...(approved.get(input.userId) ?? []), ...input.scopes]))
      return code
    },
    findCode(code: string): Code | undefined {
      const found = codes.get(code)
      return found && found.expiresAt > clock.now() ? found : undefined
    },
    spendCode: (code: string) => codes.delete(code),
    expireCodes: () => codes.clear(),
    hasApproved: (userId: string, scopes: readonly string[]) =>
      scopes.every((scope) => approved.get(userId)?.has(scope)),
    issue(userId: string, scopes: readonly string[]): Grant {
      const expiresAt = clock.now() + tokenSec * 1_000
      const grant = { userId, scopes, accessToken: mintToken(), refreshToken: mintToken(), expiresAt }
      byAccess.set(grant.accessToken, grant)
      return grant
    },
    findByAccessToken(token: string): Grant | undefined {
      const grant = byAccess.get(token)
      return grant && grant.expiresAt > clock.now() ? grant : undefined
    },
    killAccessToken: (grant: Grant) => byAccess.delete(grant.accessToken),
    clear(): void {
      for (const map of [codes, byAccess, approved]) map.clear()
    },
  }
}

export type Grants = ReturnType<typeof createGrants>
