import type { sessions } from '@rolecall/contract'
import type { ChatMember } from '#chat/chat-platform'
import type { FreshnessTerms, Mirrored } from '#mirror/freshness'
import type { Tx } from '#platform/db/database'
import type { HeldRole } from '#responses/roles'
import type { Read } from '#session-memory/memory'
import type { ProjectCaller } from '../../callers/callers.ts'
import type { Step } from '../../checks/check.ts'
import type { Deps } from '../../deps.ts'

/** The parameters that a sign-in sends to authorize. */
export interface AskedLogin {
  readonly projectId: string
  readonly serverId: string
  readonly redirectUri: string | undefined
}

type Failure = 'temporarily_unavailable' | 'server_error'

/** The platform's response about a member, or the reason for a missing response. */
export interface MembershipResult {
  readonly failure?: Failure | undefined
  readonly member?: ChatMember | undefined
}

interface CodeRequest {
  readonly projectId: string
  readonly memberId: string
  readonly serverId: string
  readonly redirectUri: string
  readonly codeChallenge: null
  readonly ip: null
  readonly userAgent: null
}

interface ExchangeRequest {
  readonly clientId: string
  readonly code: string
  readonly redirectUri: string
  readonly forwarded: { readonly ip: null; readonly userAgent: null }
}

/**
 * The decisions of a sign-in and a validate, each made by the code that decides in production: its statements, and its
 * checks as steps.
 */
export interface Decisions {
  readonly authorize: (asked: AskedLogin) => Promise<{
    readonly steps: readonly Step[]
    readonly mayLogIn: boolean
    readonly redirectUri?: string | undefined
  }>
  /** Classifies an error of the chat platform. Throws any other error. */
  readonly failureOf: (error: unknown) => Failure
  readonly isBlocked: (memberId: string) => Promise<boolean>
  readonly callback: (
    result: MembershipResult & { readonly isBot?: boolean | undefined; readonly isBlocked: boolean },
  ) => readonly Step[]
  readonly issueCode: (tx: Tx, request: CodeRequest) => Promise<string | undefined>
  readonly code: (code: string | undefined) => readonly Step[]
  readonly key: (read: Pick<Read, 'projectId' | 'isActive'>) => readonly Step[]
  readonly exchange: (
    deps: Pick<Deps, 'db' | 'config' | 'audit'>,
    caller: ProjectCaller,
    request: ExchangeRequest,
  ) => Promise<sessions.TokenResponse>
  readonly redeem: (redeemed: object | undefined) => readonly Step[]
  readonly session: (read: Pick<Read, 'session'>) => readonly Step[]
  readonly rolesKnown: (facts: { mirrored: Mirrored; terms: FreshnessTerms }) => readonly Step[]
  readonly roles: (roles: readonly HeldRole[], wanted: WantedRoles) => readonly Step[]
  /** Returns undefined if the project protects no host. */
  readonly hosts: (projectId: string) => Promise<ExplainedHosts | undefined>
  /** Returns undefined if the project is not a client of OpenID Connect. */
  readonly client: (projectId: string) => Promise<ExplainedClient | undefined>
}

export interface ExplainedHosts {
  readonly hosts: readonly string[]
  /** Undefined while there is no server with members to admit. */
  readonly serverId: string | undefined
  /** The redirect URI of a sign-in at the first host. */
  readonly redirectUri: string | undefined
  readonly steps: readonly Step[]
  /** Checks the roles that the hosts require. */
  readonly roles: (roleIds: readonly string[]) => readonly Step[]
}

export interface ExplainedClient {
  readonly serverId: string | null
  readonly redirectUri: string | undefined
  readonly steps: readonly Step[]
}

export interface WantedRoles {
  readonly anyOf?: readonly string[] | undefined
  readonly allOf?: readonly string[] | undefined
}
