import { type GroupRule, roleNamesOnly } from '#responses/groups'
import type { Roles } from '#responses/roles'
import { toValidateJson } from '#responses/validate-json'
import type { Fact } from './facts.ts'
import type { SessionRow } from './facts-store.ts'

export interface MemberFact {
  readonly username: string
  readonly profileJson: string
  readonly isClubMember: boolean
}

export interface MembershipFact {
  readonly nick: string | null
  readonly roleIds: readonly string[]
  readonly syncedAtMs: number
}

export interface ServerFact {
  readonly decidesAdmin: boolean
  roles: Roles
  /** The moment up to which the gateway vouches for the server's mirror; null while it does not. */
  liveAsOfMs: number | null
  /** The end of the gateway's statement, unless it is renewed. */
  liveUntilMs: number
}

export interface SessionFacts {
  readonly member: Fact<MemberFact>
  readonly membership: Fact<MembershipFact>
  readonly server: Fact<ServerFact>
  /** Undefined for an admin session. */
  readonly project: Fact<true> | undefined
  readonly access: Fact<true> | undefined
  /** Becomes void with the project. Undefined for an admin session. */
  readonly groups: Fact<GroupRule> | undefined
}

/** A session that was live when its facts were read. It stays valid until a fact is void or it expires. */
export class Session {
  readonly id: string
  readonly tokenDigest: string
  readonly projectId: string | null
  readonly serverId: string
  readonly memberId: string
  readonly expiresAtMs: number
  readonly #json: string
  readonly facts: SessionFacts
  /** The approximate memory use in bytes, from measurements of V8. */
  readonly bytes: number
  isVoid = false
  /** The neighbors in the queue of `RecentSessions`. Undefined for sessions that are not cached. */
  previous: Session | undefined = undefined
  next: Session | undefined = undefined
  wasUsed = false

  /** The last composed response, and its inputs. */
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

  /** Returns true if no fact of the session has changed since it was read. */
  isCurrent(): boolean {
    const { member, membership, server, project, access, groups } = this.facts
    return !(
      this.isVoid ||
      member.isVoid ||
      membership.isVoid ||
      server.isVoid ||
      project?.isVoid ||
      access?.isVoid ||
      groups?.isVoid
    )
  }

  get username(): string {
    return this.facts.member.value.username
  }

  /**
   * Returns the IDs of the roles that the member holds. Leaves out deleted roles, which the rows of their holders may
   * still list.
   */
  get roleIds(): readonly string[] {
    const { roles } = this.facts.server.value
    return this.facts.membership.value.roleIds.filter((id) => roles.has(id))
  }

  /** The rule by which the project names groups. */
  get groupRule(): GroupRule {
    return this.facts.groups?.value ?? roleNamesOnly
  }

  get decidesAdmin(): boolean {
    return this.facts.server.value.decidesAdmin
  }

  /** Returns the age of the mirrored roles. */
  ageMs(nowMs: number): number {
    return nowMs - this.facts.membership.value.syncedAtMs
  }

  /** Returns the time to which the gateway vouches for the roles; null while it does not. */
  liveAsOfMs(nowMs: number): number | null {
    const server = this.facts.server.value
    return server.liveUntilMs > nowMs ? server.liveAsOfMs : null
  }

  /** Returns the response of `validate` as JSON. Reuses the last one while its content has not changed. */
  answer(asOfLiveMs: number | null, source: string): string {
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

/** A session at one moment, by the database's clock. */
export interface SessionAt {
  readonly session: Session
  readonly nowMs: number
  readonly isLive: boolean
  readonly ageMs: number
}

export const sessionAt = (session: Session, nowMs: number): SessionAt => ({
  session,
  nowMs,
  isLive: session.liveAsOfMs(nowMs) !== null,
  ageMs: session.ageMs(nowMs),
})

/**
 * Returns the response of `validate` as JSON. `source` is the source of the roles if the gateway does not vouch for
 * them.
 */
export function answerOf({ session, nowMs }: Pick<SessionAt, 'session' | 'nowMs'>, source: string): string {
  const liveAsOfMs = session.liveAsOfMs(nowMs)
  return session.answer(liveAsOfMs, liveAsOfMs === null ? source : 'gateway')
}
