import type { By } from '#audit/event'
import type { Client } from '#platform/http/router'
import type { Presented } from './admin-cookies.ts'

/** A project that presented a valid API key. */
export interface ProjectCaller {
  readonly projectId: string
  /** The digest of that key. */
  readonly keyDigest: string
  /** The rate limit bucket that counts the caller's requests. */
  readonly bucket: string
}

/** A member who presented a valid session token. */
export interface MemberCaller {
  readonly sessionId: string
  readonly memberId: string
  readonly username: string
  /** The project that the session belongs to. Null for an admin session. */
  readonly sessionProjectId: string | null
  readonly serverId: string
  /** The presented token. A rotation replaces it. */
  readonly token: string
  /**
   * The way in which the token was presented. A new pair is returned the same way, so a token from a cookie never
   * appears in a body.
   */
  readonly presented: Presented
  readonly bucket: string
}

/** The rights of an administrator: to do everything, only read, or administer their own projects. */
export type AdminKind = 'systemAdmin' | 'auditor' | 'owner'

/** A member with an admin session who may call this administration endpoint right now. */
export interface AdminCaller extends MemberCaller {
  readonly id: string
  readonly kind: AdminKind
  /** The roles that the administrator currently holds in the main server. */
  readonly roleIds: readonly string[]
}

/** The type of caller for each kind of authentication (`auth` in an endpoint's definition). */
export interface Callers {
  readonly none: { readonly bucket: string }
  readonly projectKey: ProjectCaller
  readonly session: MemberCaller
  readonly admin: AdminCaller
}

/** An administrator as the author of a change. */
export type AdminBy = Required<Pick<By, 'actor' | 'client'>>

/** Returns the author of a change from a request, for the audit entry. */
export const by = ({ caller, client }: { caller: AdminCaller; client: Client }): AdminBy => ({
  actor: { id: caller.memberId, username: caller.username },
  client,
})
