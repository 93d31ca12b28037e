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

/** Changes sessions for many requests at once. Changes that wait together share a statement and its commit. */
export interface SessionChanges {
  /** Redeems a code of a project. Returns undefined if the code is invalid. */
  readonly redeemCode: (redemption: Redemption) => Promise<Redeemed | undefined>
  /** Replaces a pair. Returns the expiry of the new one, or undefined if the old one is not current. */
  readonly rotate: (rotation: Rotation) => Promise<Date | undefined>
  /** Ends the session of a token or refresh token, if the project has one. */
  readonly logOut: (logout: Logout) => Promise<void>
}

/** Creates the batchers of a process. Each process gathers and commits its own changes. */
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

/** Redeems one code as a part of the caller's transaction. */
export async function redeemInTransaction(tx: Tx, redemption: Redemption): Promise<Redeemed | undefined> {
  const [redeemed] = await redeemCodes(tx.query, [redemption], 'wait')
  return redeemed === heldElsewhere ? undefined : redeemed
}
