import type { Tx } from '#platform/db/database'
import type { Answer } from '#platform/http/answer'
import type { AdminBy } from '../../callers/callers.ts'

export interface OwnSession {
  readonly id: string
  readonly kind: 'project' | 'admin' | 'sso'
  readonly createdAt: Date
  readonly expiresAt: Date
  readonly projectName: string | null
  /** The address of the metadata document of a program; null if the session is of the project itself. */
  readonly clientId: string | null
  readonly serverId: string | null
  readonly ip: string | null
  readonly userAgent: string | null
}

export interface OwnConsent {
  readonly projectId: string
  readonly projectName: string
  /** The address of the metadata document of a program; null if the consent is for the project itself. */
  readonly clientId: string | null
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
  readonly clientId: string | null
}

type Cookies = string | undefined

/** The functions of other features that the account page calls; `app.ts` passes them. */
export interface AccountNeeds {
  readonly login: {
    /** Finds the single sign-on of the browser that sends these cookies. Consumes nothing. */
    find(cookies: Cookies): Promise<{ readonly id: string; readonly memberId: string } | undefined>
    beginForAccount(
      cookies: Cookies,
      address: string,
    ): Promise<{ readonly location: string; readonly cookie: string }>
    /** Ends the single sign-on of the browser. Returns the cookies that delete it there. */
    end(cookies: Cookies): Promise<string[]>
  }
  readonly listSessions: (memberId: string) => Promise<readonly OwnSession[]>
  /** Returns undefined if the member has no such session. */
  readonly endSession: (tx: Tx, memberId: string, sessionId: string) => Promise<EndedSession | undefined>
  /** Returns the number of sessions and single sign-ons that ended. */
  readonly endEverySession: (tx: Tx, memberId: string) => Promise<number>
  readonly listConsents: (memberId: string) => Promise<readonly OwnConsent[]>
  /** Returns undefined if there was no consent to withdraw. */
  readonly deleteConsent: (tx: Tx, of: OfProject) => Promise<{ readonly projectName: string } | undefined>
  readonly endClientSessions: (tx: Tx, of: OfProject) => Promise<number>
  readonly readOwnData: (by: AdminBy) => Promise<Answer>
}
