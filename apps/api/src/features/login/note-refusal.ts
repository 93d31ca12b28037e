import type { refusedLogins } from '@rolecall/contract'
import type { Client } from '#platform/http/router'
import type { LoginRefusal } from '../../pages/refusal-notice.ts'
import { refusalOf } from './project-redirect.ts'

/** A login of a known account that was refused. */
export interface RefusedLogin {
  readonly reason: LoginRefusal | refusedLogins.RefusedLoginCode
  readonly memberId: string
  readonly projectId: string | null
  readonly serverId: string
  /** Where it was refused. */
  readonly path: string
  readonly client: Client
}

/** Puts a refused login with the credentials that were turned away. */
export type NoteRefusal = (refused: RefusedLogin) => void

/** True of what is said of the account itself: an outage, or a person who changed their mind, turns nobody away. */
export const turnsAway = (refusal: LoginRefusal): boolean =>
  refusal !== 'declined' && refusalOf(refusal).code === 'access_denied'
