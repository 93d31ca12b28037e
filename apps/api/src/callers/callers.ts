import type { By } from '#audit/event'
import type { Client } from '#platform/http/router'
import type { Presented } from './admin-cookies.ts'

/** A project that presented a good API key. */
export interface ProjectCaller {
  readonly projectId: string
  /** Which of its keys it was. */
  readonly keyDigest: string
  readonly bucket: string
}

/** A member who presented a good session token. */
export interface MemberCaller {
  readonly sessionId: string
  readonly memberId: string
  readonly username: string
  /** Null for an admin session. */
  readonly sessionProjectId: string | null
  readonly serverId: string
  /** The token itself, which rotation replaces. */
  readonly token: string
  /** A new pair goes back the same way: what came in a cookie is never in a body. */
  readonly presented: Presented
  readonly bucket: string
}

/** As what somebody administers: everything, reading only, or one project. */
export type AdminKind = 'systemAdmin' | 'auditor' | 'owner'

/** A member who, right now, may call this endpoint of the administration, on an admin session. */
export interface AdminCaller extends MemberCaller {
  readonly id: string
  readonly kind: AdminKind
  /** Of the main server, as of now. */
  readonly roleIds: readonly string[]
}

/** Who may be asking, by what the endpoint's declaration says of its `auth`. */
export interface Callers {
  readonly none: { readonly bucket: string }
  readonly projectKey: ProjectCaller
  readonly session: MemberCaller
  readonly admin: AdminCaller
}

/** An administrator as the author of a change. */
export type AdminBy = Required<Pick<By, 'actor' | 'client'>>

/** An admin's request as the author of a change, for the audit entry. */
export const by = ({ caller, client }: { caller: AdminCaller; client: Client }): AdminBy => ({
  actor: { id: caller.memberId, username: caller.username },
  client,
})
