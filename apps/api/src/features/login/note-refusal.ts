import type { refusedLogins } from '@rolecall/contract'
import type { Client } from '#platform/http/router'
import type { LoginRefusal } from '../../pages/refusal-notice.ts'
import { refusalOf } from './project-redirect.ts'

/** A refused sign-in of a known account. */
export interface RefusedLogin {
  readonly reason: LoginRefusal | refusedLogins.RefusedLoginCode
  readonly memberId: string
  readonly projectId: string | null
  readonly serverId: string
  /** The path that refused it. */
  readonly path: string
  readonly client: Client
}

/** Records a refused sign-in beside the rejected credentials. */
export type NoteRefusal = (refused: RefusedLogin) => void

/** Returns true if the refusal concerns the account itself, and not an outage or a canceled sign-in. */
export const isAccountRefusal = (refusal: LoginRefusal): boolean =>
  refusal !== 'declined' && refusalOf(refusal).code === 'access_denied'
