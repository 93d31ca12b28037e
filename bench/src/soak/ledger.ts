import type { Random } from './random.ts'

/** A project of the soak, with its API key. */
export interface Project {
  readonly id: string
  readonly key: string
}

/**
 * The expected state of a session. `ended` means that the service has acknowledged its end, so no instance may ever
 * validate it again. `unsure` means that a request that would end it got no response, or that its member is leaving the
 * server.
 */
export interface Session {
  readonly project: Project
  id: string
  token: string
  refreshToken: string
  state: 'live' | 'ended' | 'unsure'
}

interface Version {
  readonly from: number
  readonly roles: string
}

/** A user of the platform. Only one lane uses a member at a time, so that the expected state is known. */
export interface Member {
  readonly id: string
  isBusy: boolean
  isBlocked: boolean
  /** The time at which the member left the server. Undefined while they are in it. */
  leftAt: number | undefined
  readonly sessions: Session[]
  readonly history: Version[]
}

/** Creates the ledger: everything that the service has acknowledged, and that must be true from then on. */
export function createLedger(memberIds: readonly string[], roles: readonly string[], random: Random) {
  const members: readonly Member[] = memberIds.map((id) => ({
    id,
    isBusy: false,
    isBlocked: false,
    leftAt: undefined,
    sessions: [],
    history: [{ from: 0, roles: sorted(roles) }],
  }))
  return {
    members,
    /**
     * The IDs of the watched project's sessions that ended or were refreshed. The stream must send an event for each.
     */
    revoked: new Map<string, number>(),
    rotated: new Set<string>(),
    /** The request IDs of an administrator's acknowledged changes, each with its action. */
    writes: new Map<string, string>(),
    /** The request IDs of changes without a response. Each was made once or not at all. */
    unansweredWrites: new Set<string>(),
    projects: new Map<string, string>(),
    /** The submissions by their number: the ID in the response, or undefined without a response. */
    submissions: new Map<number, string | undefined>(),
    done: new Map<string, number>(),
    count(what: string) {
      this.done.set(what, (this.done.get(what) ?? 0) + 1)
    },
    /** Calls `work` with a member that no other lane is using. */
    async withMember(work: (member: Member) => Promise<void>): Promise<void> {
      const free = members.filter(({ isBusy }) => !isBusy)
      if (free.length === 0) return
      const member = random.one(free)
      member.isBusy = true
      try {
        await work(member)
      } finally {
        member.isBusy = false
      }
    },
  }
}

export type Ledger = ReturnType<typeof createLedger>

/** Returns role IDs as one text that does not depend on their order. */
export const sorted = (roles: readonly string[]) => [...roles].sort().join()

/** Returns true if a member had exactly these roles at some moment of a period. */
export const heldWithin = ({ history }: Member, roles: string, from: number, to: number) =>
  history.some(
    (version, i) =>
      version.roles === roles && version.from <= to && (history[i + 1]?.from ?? Infinity) >= from,
  )
