import { type GroupRule, roleNamesOnly } from '#responses/groups'
import type { Roles } from '#responses/roles'
import { toValidateJson } from '#responses/validate-json'
import type { SessionRow } from './facts-store.ts'
import type { Fact } from './kept-facts.ts'

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
  /**
   * The time to which the gateway last vouched for the server's mirror, and the end of that; null while it does not.
   */
  liveAsOfMs: number | null
  liveUntilMs: number
}

export interface SessionFacts {
  readonly member: Fact<MemberFact>
  readonly membership: Fact<MembershipFact>
  readonly server: Fact<ServerFact>
  /** Undefined for an admin session. */
  readonly project: Fact<true> | undefined
  readonly access: Fact<true> | undefined
  /** Void with the project. Undefined for an admin session. */
  readonly groups: Fact<GroupRule> | undefined
}

/** A session that was live when its facts were read, and remains live until a fact is void. */
export class Session {
  readonly id: string
  readonly tokenDigest: string
  readonly projectId: string | null
  readonly serverId: string
  readonly memberId: string
  readonly expiresAtMs: number
  readonly #json: string
  readonly facts: SessionFacts
  /** The approximate bytes of memory, from measurements of V8. */
  readonly bytes: number
  isVoid = false
  /** Neighbors in the order of use; only cached sessions have any. */
  before: Session | undefined = undefined
  after: Session | undefined = undefined
  wasUsed = false

  /** The last composed response, and its inputs. */
  #text = ''
  #madeOf: { member: MemberFact; membership: MembershipFact; roles: Roles } | undefined
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

  /** Returns true until a fact of it has changed. */
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
   * Returns the roles that the member holds, as every answer does: an unknown role has been deleted. A deleted role has
   * no effect once its row is deleted, even while the rows of its holders still list it.
   */
  get roleIds(): readonly string[] {
    const { roles } = this.facts.server.value
    return this.facts.membership.value.roleIds.filter((id) => roles.has(id))
  }

  /** The names that the project gives to the groups of roles. */
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

  /** Returns the whole response; the last one is reused while nothing in it has changed. */
  answer(asOfLiveMs: number | null, source: string): string {
    const member = this.facts.member.value
    const membership = this.facts.membership.value
    const { roles } = this.facts.server.value
    const asOfMs = asOfLiveMs ?? membership.syncedAtMs
    const made = this.#madeOf
    if (
      made === undefined ||
      made.member !== member ||
      made.membership !== membership ||
      made.roles !== roles ||
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
      this.#madeOf = { member, membership, roles }
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
  readonly ageMs: number
}

export const sessionAt = (session: Session, nowMs: number): SessionAt => ({
  session,
  nowMs,
  isLive: session.liveAsOfMs(nowMs) !== null,
  ageMs: session.ageMs(nowMs),
})

/**
 * Returns the response of a validate. `source` names the source of the roles if the gateway does not vouch for them.
 */
export function answerOf({ session, nowMs }: Pick<SessionAt, 'session' | 'nowMs'>, source: string): string {
  const liveAsOfMs = session.liveAsOfMs(nowMs)
  return session.answer(liveAsOfMs, liveAsOfMs === null ? source : 'gateway')
}
