import type { refusedLogins } from '@rolecall/contract'
import type { Client } from '#platform/http/router'
import type { LoginRefusal } from '../../pages/refusal-notice.ts'
import { refusalOf } from './project-redirect.ts'

/** A refused sign-in whose account is known, for the list of refused sign-ins. */
export interface RefusedLogin {
  readonly reason: LoginRefusal | refusedLogins.RefusedLoginCode
  readonly memberId: string
  readonly projectId: string | null
  readonly serverId: string
  /** The path of the request that refused the sign-in. */
  readonly path: string
  readonly client: Client
}

/** Records a refused sign-in, in the same table as requests with invalid credentials. */
export type NoteRefusal = (refused: RefusedLogin) => void

/**
 * Returns true if a sign-in was refused because of the account itself, and not because of an outage or a cancellation.
 */
export const isAccountRefusal = (refusal: LoginRefusal): boolean =>
  refusal !== 'declined' && refusalOf(refusal).code === 'access_denied'
