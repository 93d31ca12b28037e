import { type GroupRule, roleNamesOnly } from '#responses/groups'
import type { Roles } from '#responses/roles'
import { toValidateJson } from '#responses/validate-json'
import type { Fact } from './facts.ts'
import type { SessionRow } from './facts-store.ts'

/** The facts about a member that are the same in every server. */
export interface MemberFact {
  readonly username: string
  readonly profileJson: string
  readonly isClubMember: boolean
}

/** The facts about a member in one server. */
export interface MembershipFact {
  readonly nick: string | null
  readonly roleIds: readonly string[]
  readonly syncedAtMs: number
}

/** The facts about a server. */
export interface ServerFact {
  readonly decidesAdmin: boolean
  roles: Roles
  /**
   * The time up to which the gateway guarantees that the server's mirror is current. Null while it gives no guarantee.
   */
  liveAsOfMs: number | null
  /** The time at which that guarantee ends, unless the gateway renews it. */
  liveUntilMs: number
}

/** The facts (see `facts.ts`) on which a session depends. If one of them is invalid, so is the session. */
export interface SessionFacts {
  readonly member: Fact<MemberFact>
  readonly membership: Fact<MembershipFact>
  readonly server: Fact<ServerFact>
  /** The project that the session belongs to. Undefined for an admin session. */
  readonly project: Fact<true> | undefined
  readonly access: Fact<true> | undefined
  /** The rule for groups. It becomes invalid together with the project. Undefined for an admin session. */
  readonly groups: Fact<GroupRule> | undefined
}

/** A session that was live when it was read. It stays valid until one of its facts changes, or it expires. */
export class Session {
  readonly id: string
  readonly tokenDigest: string
  readonly projectId: string | null
  readonly serverId: string
  readonly memberId: string
  readonly expiresAtMs: number
  readonly #json: string
  readonly facts: SessionFacts
  /** The approximate memory use in bytes. The factors were measured with V8. */
  readonly bytes: number
  /** True if the session was removed from the cache. */
  wasDropped = false
  /** The neighbors in the queue of `RecentSessions`. Undefined if the session is not cached. */
  previous: Session | undefined = undefined
  next: Session | undefined = undefined
  wasUsed = false

  /** The last response of `validate`, and the inputs that it was made from. */
  #text = ''
  #inputs: { member: MemberFact; membership: MembershipFact; roles: Roles } | undefined
  #asOfMs = 0
  #source = ''

  constructor(tokenDigest: string, row: SessionRow, facts: SessionFacts) {
    this.id = row.id
    this.tokenDigest = tokenDigest
    this.projectId = row.projectId
    this.serverId = row.serverId
    this.memberId = row.memberId
    this.expiresAtMs = row.expiresAtMs
    this.#json = row.sessionJson
    this.facts = facts
    this.bytes = 1_400 + 2 * row.profileJson.length + 2 * row.sessionJson.length + 120 * row.roleIds.length
  }

  /** Returns true if nothing that the session depends on has changed since it was read. Does not check the expiry. */
  isCurrent(): boolean {
    const { member, membership, server, project, access, groups } = this.facts
    return !(
      this.wasDropped ||
      member.isInvalid ||
      membership.isInvalid ||
      server.isInvalid ||
      project?.isInvalid ||
      access?.isInvalid ||
      groups?.isInvalid
    )
  }

  get username(): string {
    return this.facts.member.value.username
  }

  /**
   * Returns the IDs of the roles that the member holds. Leaves out deleted roles, which the member's row may still
   * list.
   */
  get roleIds(): readonly string[] {
    const { roles } = this.facts.server.value
    return this.facts.membership.value.roleIds.filter((id) => roles.has(id))
  }

  /** Returns the rule by which the project names groups of roles. */
  get groupRule(): GroupRule {
    return this.facts.groups?.value ?? roleNamesOnly
  }

  get decidesAdmin(): boolean {
    return this.facts.server.value.decidesAdmin
  }

  /** Returns the age of the mirrored roles in milliseconds. */
  ageMs(nowMs: number): number {
    return nowMs - this.facts.membership.value.syncedAtMs
  }

  /**
   * Returns the time up to which the gateway guarantees that the roles are current, or null while it gives no
   * guarantee.
   */
  liveAsOfMs(nowMs: number): number | null {
    const server = this.facts.server.value
    return server.liveUntilMs > nowMs ? server.liveAsOfMs : null
  }

  /** Returns the response of `validate` as JSON. Reuses the last response while its inputs are the same. */
  toJson(asOfLiveMs: number | null, source: string): string {
    const member = this.facts.member.value
    const membership = this.facts.membership.value
    const { roles } = this.facts.server.value
    const asOfMs = asOfLiveMs ?? membership.syncedAtMs
    const last = this.#inputs
    if (
      last === undefined ||
      last.member !== member ||
      last.membership !== membership ||
      last.roles !== roles ||
      this.#asOfMs !== asOfMs ||
      this.#source !== source
    ) {
      this.#text = toValidateJson({
        member: { ...member, ...membership },
        roleIds: membership.roleIds,
        roles,
        groupRule: this.groupRule,
        sessionJson: this.#json,
        asOfMs,
        source,
      })
      this.#inputs = { member, membership, roles }
      this.#asOfMs = asOfMs
      this.#source = source
    }
    return this.#text
  }
}

/** A session at one moment of the database's clock. */
export interface SessionAt {
  readonly session: Session
  readonly nowMs: number
  readonly isLive: boolean
  /** The age of the mirrored roles. */
  readonly ageMs: number
}

/** Returns a session together with what the time decides about its roles. */
export const sessionAt = (session: Session, nowMs: number): SessionAt => ({
  session,
  nowMs,
  isLive: session.liveAsOfMs(nowMs) !== null,
  ageMs: session.ageMs(nowMs),
})

/**
 * Returns the response of `validate` as JSON. `source` names the source of the roles. While the gateway keeps the
 * mirror live, the source is always the gateway.
 */
export function toResponseJson(
  { session, nowMs }: Pick<SessionAt, 'session' | 'nowMs'>,
  source: string,
): string {
  const liveAsOfMs = session.liveAsOfMs(nowMs)
  return session.toJson(liveAsOfMs, liveAsOfMs === null ? source : 'gateway')
}
