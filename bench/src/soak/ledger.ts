import type { Random } from './random.ts'

export interface Project {
  readonly id: string
  readonly key: string
}

/**
 * The known state of a session. `ended`: its end was acknowledged, so it must never validate again, anywhere. `unsure`:
 * a request that would end it had no response, or its member is leaving at the platform.
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

/** A user of the platform. One lane works on a member at a time, so that the expected state is known. */
export interface Member {
  readonly id: string
  isBusy: boolean
  isBlocked: boolean
  /** The time at which the member left at the platform; undefined if they are there. */
  leftAt: number | undefined
  readonly sessions: Session[]
  readonly history: Version[]
}

/** Keeps everything that was acknowledged, and must be true from then on. */
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
    /** IDs of sessions of the watched project that ended or were rotated: the stream must send an event for each. */
    revoked: new Map<string, number>(),
    rotated: new Set<string>(),
    /** Request IDs of acknowledged changes by an administrator, each with its action. */
    writes: new Map<string, string>(),
    /** Request IDs of changes without a response: done once or not at all. */
    unansweredWrites: new Set<string>(),
    projects: new Map<string, string>(),
    /** Submissions by their number: the ID of the response, or undefined without a response. */
    submissions: new Map<number, string | undefined>(),
    done: new Map<string, number>(),
    count(what: string) {
      this.done.set(what, (this.done.get(what) ?? 0) + 1)
    },
    /** Works on a member that no other lane works on. */
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

export const sorted = (roles: readonly string[]) => [...roles].sort().join()

/** Returns true if a member held exactly these roles at some moment of a period. */
export const heldWithin = ({ history }: Member, roles: string, from: number, to: number) =>
  history.some(
    (version, i) =>
      version.roles === roles && version.from <= to && (history[i + 1]?.from ?? Infinity) >= from,
  )
