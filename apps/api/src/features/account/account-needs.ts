import type { Tx } from '#platform/db/database'
import type { Answer } from '#platform/http/answer'
import type { AdminBy } from '../../callers/callers.ts'

export interface OwnSession {
  readonly id: string
  readonly kind: 'project' | 'admin' | 'sso'
  readonly createdAt: Date
  readonly expiresAt: Date
  readonly projectName: string | null
  readonly serverId: string | null
  readonly ip: string | null
  readonly userAgent: string | null
}

export interface OwnConsent {
  readonly projectId: string
  readonly projectName: string
  readonly scopes: readonly string[]
  /** APIs that the project may use as the member, by their URIs. */
  readonly resources: readonly string[]
  readonly at: Date
}

interface EndedSession {
  readonly kind: OwnSession['kind']
  readonly projectName: string | null
}

interface OfProject {
  readonly projectId: string
  readonly memberId: string
}

type Cookies = string | undefined

/** What other features do for the page of a person; `app.ts` passes it. */
export interface AccountNeeds {
  readonly login: {
    /** The single sign-on of the browser that sends these cookies. Uses nothing up. */
    find(cookies: Cookies): Promise<{ readonly id: string; readonly memberId: string } | undefined>
    beginForAccount(
      cookies: Cookies,
      address: string,
    ): Promise<{ readonly location: string; readonly cookie: string }>
    /** Ends the single sign-on of the browser; the cookies that make it forget. */
    end(cookies: Cookies): Promise<string[]>
  }
  readonly listSessions: (memberId: string) => Promise<readonly OwnSession[]>
  /** Undefined when the member has no such session. */
  readonly endSession: (tx: Tx, memberId: string, sessionId: string) => Promise<EndedSession | undefined>
  /** How many sessions and single sign-ons that were. */
  readonly endEverySession: (tx: Tx, memberId: string) => Promise<number>
  readonly listConsents: (memberId: string) => Promise<readonly OwnConsent[]>
  /** Undefined when there was nothing to take back. */
  readonly deleteConsent: (tx: Tx, of: OfProject) => Promise<{ readonly projectName: string } | undefined>
  readonly endClientSessions: (tx: Tx, of: OfProject) => Promise<number>
  readonly readOwnData: (by: AdminBy) => Promise<Answer>
}
