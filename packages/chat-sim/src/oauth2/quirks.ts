import type { Grants } from './grants.ts'

/** The faults of the OAuth side. All are off at the start. */
export interface Quirks {
  iss: 'exact' | 'absent' | (string & {})
  scopes: readonly string[] | undefined
  idToken: boolean
  tokenDiesAtOnce: boolean
}

const wellBehaved: Quirks = { iss: 'exact', scopes: undefined, idToken: false, tokenDiesAtOnce: false }

export const createQuirks = (): Quirks => ({ ...wellBehaved })

export const resetQuirks = (quirks: Quirks) => Object.assign(quirks, wellBehaved)

/** Controls faults of OAuth for tests: `sim.oauth`. */
export function oauthControl(quirks: Quirks, grants: Grants) {
  return {
    /** Expires all issued codes. */
    expireCodes: () => grants.expireCodes(),
    /** Sets the `iss` parameter of redirects: exact, absent, or another issuer. */
    answerIss: (iss: Quirks['iss']) => {
      quirks.iss = iss
    },
    /** Sets the granted scopes, independent of the request. `undefined`: the requested ones. */
    grantScopes: (scopes: readonly string[] | undefined) => {
      quirks.scopes = scopes
    },
    /** Adds an `id_token` to token replies, although no request asked for one. */
    includeIdToken: (include: boolean) => {
      quirks.idToken = include
    },
    /** Revokes access tokens as soon as they are issued. */
    killTokensAfterExchange: (kill: boolean) => {
      quirks.tokenDiesAtOnce = kill
    },
  }
}
