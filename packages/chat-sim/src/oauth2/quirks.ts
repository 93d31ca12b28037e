import type { Grants } from './grants.ts'

/** How the OAuth side misbehaves. All off at the start. */
export interface Quirks {
  iss: 'exact' | 'absent' | (string & {})
  scopes: readonly string[] | undefined
  idToken: boolean
  tokenDiesAtOnce: boolean
}

const wellBehaved: Quirks = { iss: 'exact', scopes: undefined, idToken: false, tokenDiesAtOnce: false }

export const createQuirks = (): Quirks => ({ ...wellBehaved })

export const resetQuirks = (quirks: Quirks) => Object.assign(quirks, wellBehaved)

/** The test's door to OAuth misbehaviour: `sim.oauth`. */
export function oauthControl(quirks: Quirks, grants: Grants) {
  return {
    /** All codes that are on their way become too old. */
    expireCodes: () => grants.expireCodes(),
    /** The `iss` parameter of redirects: right, left out, or another issuer. */
    answerIss: (iss: Quirks['iss']) => {
      quirks.iss = iss
    },
    /** The scopes that are granted, whatever was asked for. `undefined`: those asked for. */
    grantScopes: (scopes: readonly string[] | undefined) => {
      quirks.scopes = scopes
    },
    /** An `id_token` in token replies, though nobody asked for one. */
    includeIdToken: (include: boolean) => {
      quirks.idToken = include
    },
    /** Access tokens are dead as soon as they have been handed out. */
    killTokensAfterExchange: (kill: boolean) => {
      quirks.tokenDiesAtOnce = kill
    },
  }
}
