import type { Tx } from '#platform/db/database'
import type { Answer } from '#platform/http/answer'
import type { AdminBy } from '../../callers/callers.ts'

/** A session or single sign-on of the person, which is the sign-in of a browser at this service. */
export interface OwnSession {
  readonly id: string
  readonly kind: 'project' | 'admin' | 'sso'
  readonly createdAt: Date
  readonly expiresAt: Date
  readonly projectName: string | null
  /** The address of the client's metadata document. Null if the session belongs to the project itself. */
  readonly clientId: string | null
  readonly serverId: string | null
  readonly ip: string | null
  readonly userAgent: string | null
}

/** A consent of the person: what a client may read, and which APIs it may use. */
export interface OwnConsent {
  readonly projectId: string
  readonly projectName: string
  /** The address of the client's metadata document. Null if the consent is for the project itself. */
  readonly clientId: string | null
  readonly scopes: readonly string[]
  /** The URIs of the APIs that the client may use for the member. */
  readonly resources: readonly string[]
  readonly at: Date
}

interface EndedSession {
  readonly kind: OwnSession['kind']
  readonly projectName: string | null
}

/** Identifies the consent of a member for a client. `clientId` is null if the client is the project itself. */
interface OfProject {
  readonly projectId: string
  readonly memberId: string
  readonly clientId: string | null
}

type Cookies = string | undefined

/** The functions of other features that the account page calls. `app.ts` passes them. */
export interface AccountNeeds {
  readonly login: {
    /** Returns the single sign-on of the browser that sends these cookies, without using it. */
    find(cookies: Cookies): Promise<{ readonly id: string; readonly memberId: string } | undefined>
    /** Starts a sign-in at Discord, which returns to the account page. */
    beginForAccount(
      cookies: Cookies,
      address: string,
    ): Promise<{ readonly location: string; readonly cookie: string }>
    /** Ends the single sign-on of the browser. Returns the cookies to set. */
    end(cookies: Cookies): Promise<string[]>
  }
  readonly listSessions: (memberId: string) => Promise<readonly OwnSession[]>
  /** Ends a session or single sign-on. Returns undefined if the member has no such session. */
  readonly endSession: (tx: Tx, memberId: string, sessionId: string) => Promise<EndedSession | undefined>
  /** Describes the ended session, as the object of a sentence. */
  readonly describeEnded: (ended: EndedSession) => string
  /** Ends all sessions and single sign-ons of the member. Returns how many it ended. */
  readonly endEverySession: (tx: Tx, memberId: string) => Promise<number>
  readonly listConsents: (memberId: string) => Promise<readonly OwnConsent[]>
  /** Deletes a consent. Returns undefined if there was none. */
  readonly deleteConsent: (tx: Tx, of: OfProject) => Promise<{ readonly projectName: string } | undefined>
  /** Ends the member's sessions with a client. Returns how many it ended. */
  readonly endClientSessions: (tx: Tx, of: OfProject) => Promise<number>
  /** Returns the file with the member's data. */
  readonly readOwnData: (by: AdminBy) => Promise<Answer>
}
