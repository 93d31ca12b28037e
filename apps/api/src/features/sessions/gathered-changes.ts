import { changeBatcher, heldElsewhere } from '#platform/db/batcher'
import type { Database, Tx } from '#platform/db/database'
import {
  type Logout,
  type Redeemed,
  type Redemption,
  type Rotation,
  redeemCodes,
  revokeByTokens,
  rotatePairs,
} from './store.ts'

/**
 * The frequent changes to sessions, in batches. Simultaneous requests share one statement and one commit. The shared
 * statement skips rows that another transaction has locked. The requests for those rows then run alone, and wait.
 */
export interface SessionChanges {
  /** Redeems a code of a project. Returns undefined if the code is invalid. */
  readonly redeemCode: (redemption: Redemption) => Promise<Redeemed | undefined>
  /** Replaces a token pair. Returns the session's new expiry, or undefined if the old pair is not the current one. */
  readonly rotate: (rotation: Rotation) => Promise<Date | undefined>
  /** Ends the session of a session token or refresh token, if the session belongs to the project. */
  readonly logOut: (logout: Logout) => Promise<void>
}

/** Creates the batchers. Create them once per process: only requests that use the same batchers share a statement. */
export const createSessionChanges = (db: Database): SessionChanges => ({
  redeemCode: changeBatcher({
    changeMany: (redemptions) => redeemCodes(db.batched, redemptions, 'skip'),
    changeOne: (redemption) => db.transaction((tx) => redeemInTransaction(tx, redemption)),
  }),
  rotate: changeBatcher({
    changeMany: (rotations) => rotatePairs(db.batched, rotations, 'skip'),
    changeOne: async (rotation) => {
      const [expiresAt] = await db.transaction((tx) => rotatePairs(tx.query, [rotation], 'wait'))
      return expiresAt === heldElsewhere ? undefined : expiresAt
    },
  }),
  logOut: changeBatcher<Logout, void>({
    changeMany: async (logouts) => {
      const skipped = await revokeByTokens(db.batched, logouts, 'skip')
      return logouts.map((_, i) => (skipped.has(i) ? heldElsewhere : undefined))
    },
    changeOne: async (logout) => {
      await db.transaction((tx) => revokeByTokens(tx.query, [logout], 'wait'))
    },
  }),
})

/** Redeems one code in the caller's transaction, and waits for its row. Returns undefined if the code is invalid. */
export async function redeemInTransaction(tx: Tx, redemption: Redemption): Promise<Redeemed | undefined> {
  const [redeemed] = await redeemCodes(tx.query, [redemption], 'wait')
  return redeemed === heldElsewhere ? undefined : redeemed
}
