import type { Grants } from './grants.ts'

/** The faults of the OAuth endpoints. All are off at the start. */
export interface Quirks {
  iss: 'exact' | 'absent' | (string & {})
  scopes: readonly string[] | undefined
  idToken: boolean
  tokenDiesAtOnce: boolean
}

const wellBehaved: Quirks = { iss: 'exact', scopes: undefined, idToken: false, tokenDiesAtOnce: false }

export const createQuirks = (): Quirks => ({ ...wellBehaved })

export const resetQuirks = (quirks: Quirks) => Object.assign(quirks, wellBehaved)

/** Creates `sim.oauth`, with which tests cause faults of the OAuth endpoints. */
export function oauthControl(quirks: Quirks, grants: Grants) {
  return {
    /** Expires all issued codes. */
    expireCodes: () => grants.expireCodes(),
    /** Sets the parameter `iss` of redirects: correct, missing, or of another issuer. */
    answerIss: (iss: Quirks['iss']) => {
      quirks.iss = iss
    },
    /** Sets the granted scopes, regardless of the request. `undefined` grants the requested scopes again. */
    grantScopes: (scopes: readonly string[] | undefined) => {
      quirks.scopes = scopes
    },
    /** Adds an `id_token` to token replies, even if the request did not ask for it. */
    includeIdToken: (include: boolean) => {
      quirks.idToken = include
    },
    /** Revokes access tokens as soon as they are issued. */
    killTokensAfterExchange: (kill: boolean) => {
      quirks.tokenDiesAtOnce = kill
    },
  }
}
