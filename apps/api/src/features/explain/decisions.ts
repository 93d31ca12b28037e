import type { sessions } from '@rolecall/contract'
import type { ChatMember } from '#chat/chat-platform'
import type { FreshnessTerms, RoleAge } from '#mirror/freshness'
import type { Tx } from '#platform/db/database'
import type { HeldRole } from '#responses/roles'
import type { Read } from '#session-memory/facts-of-rows'
import type { ProjectCaller } from '../../callers/callers.ts'
import type { Step } from '../../checks/check.ts'
import type { Deps } from '../../deps.ts'

/** The parameters of a sign-in. */
export interface LoginParameters {
  readonly projectId: string
  readonly serverId: string
  readonly redirectUri: string | undefined
}

type Failure = 'temporarily_unavailable' | 'server_error'

/** Discord's response about a member, or `failure`: the reason for a missing response. */
export interface MembershipResult {
  readonly failure?: Failure | undefined
  readonly member?: ChatMember | undefined
}

/** The code that a rehearsed sign-in issues. */
interface CodeRequest {
  readonly projectId: string
  readonly memberId: string
  readonly serverId: string
  readonly redirectUri: string
  readonly codeChallenge: null
  readonly ip: null
  readonly userAgent: null
}

/** The exchange of that code. */
interface ExchangeRequest {
  readonly clientId: string
  readonly code: string
  readonly redirectUri: string
  readonly forwarded: { readonly ip: null; readonly userAgent: null }
}

/**
 * The decisions of a sign-in and of `validate`. They are the same functions and checks that decide in production, so an
 * explanation cannot differ from them. Other features implement them, and `app.ts` passes them. A function that returns
 * steps returns the result of each check.
 */
export interface Decisions {
  /** Checks the parameters of a sign-in. Also returns the redirect URI that is used if none was asked for. */
  readonly authorize: (asked: LoginParameters) => Promise<{
    readonly steps: readonly Step[]
    readonly mayLogIn: boolean
    readonly redirectUri?: string | undefined
  }>
  /** Returns the kind of an error of Discord. Rethrows any other error. */
  readonly failureOf: (error: unknown) => Failure
  readonly isBlocked: (memberId: string) => Promise<boolean>
  /** Checks the member, as the callback does. */
  readonly callback: (
    result: MembershipResult & { readonly isBot?: boolean | undefined; readonly isBlocked: boolean },
  ) => readonly Step[]
  /** Stores a code. Returns undefined if the project has no access. */
  readonly issueCode: (tx: Tx, request: CodeRequest) => Promise<string | undefined>
  /** Explains the result of `issueCode`. */
  readonly code: (code: string | undefined) => readonly Step[]
  /** Checks an API key. */
  readonly key: (read: Pick<Read, 'projectId' | 'isActive'>) => readonly Step[]
  /** Redeems a code. */
  readonly exchange: (
    deps: Pick<Deps, 'db' | 'config' | 'audit'>,
    caller: ProjectCaller,
    request: ExchangeRequest,
  ) => Promise<sessions.TokenResponse>
  /** Explains the result of `exchange`. */
  readonly redeem: (redeemed: object | undefined) => readonly Step[]
  /** Checks that a session is live. */
  readonly session: (read: Pick<Read, 'session'>) => readonly Step[]
  /** Checks that the roles are recent enough. */
  readonly rolesKnown: (facts: { mirrored: RoleAge; terms: FreshnessTerms }) => readonly Step[]
  /** Checks that a member has the required roles. */
  readonly roles: (roles: readonly HeldRole[], wanted: WantedRoles) => readonly Step[]
  /** Checks the protected hosts of a project. Returns undefined if it has none. */
  readonly hosts: (projectId: string) => Promise<ExplainedHosts | undefined>
  /** Checks the OpenID Connect client of a project. Returns undefined if OpenID Connect is off. */
  readonly client: (projectId: string) => Promise<ExplainedClient | undefined>
}

/** The protected hosts of a project, which share one rule. */
export interface ExplainedHosts {
  readonly hosts: readonly string[]
  /** Undefined if the rule has no server. */
  readonly serverId: string | undefined
  /** The redirect URI of a sign-in at the first host. */
  readonly redirectUri: string | undefined
  readonly steps: readonly Step[]
  /** Checks the roles that the hosts require. */
  readonly roles: (roleIds: readonly string[]) => readonly Step[]
}

/** The OpenID Connect client of a project. */
export interface ExplainedClient {
  readonly serverId: string | null
  readonly redirectUri: string | undefined
  readonly steps: readonly Step[]
}

/** The roles that a request requires: one of `anyOf`, and all of `allOf`. */
export interface WantedRoles {
  readonly anyOf?: readonly string[] | undefined
  readonly allOf?: readonly string[] | undefined
}
