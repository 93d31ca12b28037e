import type { Random } from './random.ts'

export interface Project {
  readonly id: string
  readonly key: string
}

/**
 * What is known of a session. `ended`: somebody was told that it is gone, so it validates nowhere, ever. `unsure`: a
 * request that would end it had no answer, or the platform was told that its member leaves.
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

/** Somebody at the platform. Who works on one has it alone, so that what must be true of it is known. */
export interface Member {
  readonly id: string
  isBusy: boolean
  isBlocked: boolean
  /** When the platform was told that the member leaves; undefined for who is there. */
  leftAt: number | undefined
  readonly sessions: Session[]
  readonly history: Version[]
}

/** Everything that was acknowledged, and must be true from then on. */
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
    /** Ids of sessions of the watched project that were told to be gone, or rotated: the stream must tell of each. */
    revoked: new Map<string, number>(),
    rotated: new Set<string>(),
    /** Request ids of changes by an administrator that were acknowledged, and what they were. */
    writes: new Map<string, string>(),
    /** Request ids of changes that had no answer: done once or not at all. */
    unansweredWrites: new Set<string>(),
    projects: new Map<string, string>(),
    /** What was submitted by its number: the id that was answered, or that no answer came. */
    submissions: new Map<number, string | undefined>(),
    done: new Map<string, number>(),
    count(what: string) {
      this.done.set(what, (this.done.get(what) ?? 0) + 1)
    },
    /** Works on a member that nobody else works on. */
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

/** Whether a member held exactly these roles at some moment of a stretch of time. */
export const heldWithin = ({ history }: Member, roles: string, from: number, to: number) =>
  history.some(
    (version, i) =>
      version.roles === roles && version.from <= to && (history[i + 1]?.from ?? Infinity) >= from,
  )
