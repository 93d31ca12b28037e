import type { By } from '#audit/event'
import type { Client } from '#platform/http/router'
import type { Presented } from './admin-cookies.ts'

/** A project that presented a valid API key. */
export interface ProjectCaller {
  readonly projectId: string
  /** The key that the project presented. */
  readonly keyDigest: string
  readonly bucket: string
}

/** A member who presented a valid session token. */
export interface MemberCaller {
  readonly sessionId: string
  readonly memberId: string
  readonly username: string
  /** Null for an admin session. */
  readonly sessionProjectId: string | null
  readonly serverId: string
  /** The token itself, which rotation replaces. */
  readonly token: string
  /** A new pair returns the same way: a token that came in a cookie is never in a body. */
  readonly presented: Presented
  readonly bucket: string
}

/** The scope of an administrator: everything, reading only, or one project. */
export type AdminKind = 'systemAdmin' | 'auditor' | 'owner'

/** A member who may call this administration endpoint at this moment, on an admin session. */
export interface AdminCaller extends MemberCaller {
  readonly id: string
  readonly kind: AdminKind
  /** The roles in the main server at this moment. */
  readonly roleIds: readonly string[]
}

/** The callers that an endpoint can have, by the `auth` of its declaration. */
export interface Callers {
  readonly none: { readonly bucket: string }
  readonly projectKey: ProjectCaller
  readonly session: MemberCaller
  readonly admin: AdminCaller
}

/** An administrator as the author of a change. */
export type AdminBy = Required<Pick<By, 'actor' | 'client'>>

/** Returns an admin's request as the author of a change, for the audit entry. */
export const by = ({ caller, client }: { caller: AdminCaller; client: Client }): AdminBy => ({
  actor: { id: caller.memberId, username: caller.username },
  client,
})
