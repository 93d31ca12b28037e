import type { By } from '#audit/event'
import type { Tx } from '#platform/db/database'
import { ApiError } from '#platform/http/api-error'
import type { AdminBy } from '../../callers/callers.ts'
import type { Deps } from '../../deps.ts'

/** What the owners of tables do for an erasure; `app.ts` passes it. */
export interface Erasers {
  /** Finds the projects that have to hear of the erasure. */
  readonly findProjectsThatKnew: (tx: Tx, memberId: string) => Promise<readonly string[]>
  readonly insertErased: (tx: Tx, memberId: string, projectIds: readonly string[]) => Promise<unknown>
  /** Ends and deletes everything that a member is logged in by. */
  readonly eraseSessions: (tx: Tx, memberId: string) => Promise<unknown>
  readonly lockMember: (tx: Tx, memberId: string) => Promise<{ readonly username: string } | undefined>
  readonly eraseName: (tx: Tx, username: string) => Promise<unknown>
  /** Opens what is append-only to the erasure, for the rest of the transaction. */
  readonly allowErasure: (tx: Tx) => Promise<unknown>
  /** Each takes what is its own. */
  readonly erasers: readonly ((tx: Tx, memberId: string) => Promise<unknown>)[]
  /** Erases from the audit log, and tells of it there; last, because all who record anything wait for it. */
  readonly eraseFromAudit: (tx: Tx, by: By, memberId: string) => Promise<void>
}

/**
 * Erases a person. Whoever logs them in meanwhile either comes first, and what that made is erased, too, or finds
 * nobody: sessions go once in the order of a login, so that nobody waits for us who holds what we wait for, and once more
 * when nothing can be made for them any more.
 */
export async function eraseMember(
  { db, ...needs }: Pick<Deps, 'db'> & Erasers,
  by: AdminBy,
  memberId: string,
): Promise<void> {
  if (memberId === by.actor.id) throw new ApiError('OWN_ACCOUNT')
  // Without a time limit: a long audit log is read from end to end.
  const work = async (tx: Tx) => {
    const knew = await needs.findProjectsThatKnew(tx, memberId)
    await needs.eraseSessions(tx, memberId)
    const member = await needs.lockMember(tx, memberId)
    if (!member) throw new ApiError('MEMBER_NOT_FOUND')
    const knewMeanwhile = await needs.findProjectsThatKnew(tx, memberId)
    await needs.eraseSessions(tx, memberId)
    // After the ends of the sessions, in the order of the stream.
    await needs.insertErased(tx, memberId, [...new Set([...knew, ...knewMeanwhile])])
    await needs.eraseName(tx, member.username)
    await needs.allowErasure(tx)
    for (const erase of needs.erasers) await erase(tx, memberId)
    await needs.eraseFromAudit(tx, by, memberId)
  }
  await db.transaction(work, { long: true })
}
