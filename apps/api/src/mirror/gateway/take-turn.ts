import type { SessionBeginnings, SessionDelay, SessionTurn } from '#chat/chat-gateway'
import type { Database } from '#platform/db/database'
import { recordBeginnings } from './store.ts'
import { laneWaitMs, noteStarts, resetWaitMs, takeLane, takeStart } from './turns-store.ts'

/**
 * Lets the leader of an epoch begin a session, counted for all leaders, or says how long it waits. What was told of the platform's count is
 * kept in both cases.
 * @throws LeadLost
 */
export const takeTurn = (
  db: Database,
  epoch: number,
  known: SessionBeginnings,
  turn: SessionTurn,
): Promise<SessionDelay | undefined> =>
  db.transaction(async (tx) => {
    if (!(await takeLane(tx, turn))) return { reason: 'lane', waitMs: await laneWaitMs(tx, turn.lane) }
    if (turn.told) await noteStarts(tx, turn.told)
    // The lane that it has taken by then is free long before.
    if (!(await takeStart(tx))) return { reason: 'day', waitMs: await resetWaitMs(tx) }
    await recordBeginnings(tx, epoch, known)
    return undefined
  })
