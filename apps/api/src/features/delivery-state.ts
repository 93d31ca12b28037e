/** What a row says of how far a delivery has come. */
export interface DeliveryStateRow {
  readonly attempts: number
  readonly lastStatus: number | null
  readonly lastError: string | null
  readonly createdAt: Date
  readonly lastAttemptAt: Date | null
  readonly nextAttemptAt: Date | null
  readonly deliveredAt: Date | null
  readonly failedAt: Date | null
}

/** How far a delivery has come, as admins see it; whatever it is that is delivered. */
export const toDeliveryState = (row: DeliveryStateRow) => ({
  status: row.deliveredAt
    ? ('delivered' as const)
    : row.failedAt
      ? ('failed' as const)
      : ('pending' as const),
  attempts: row.attempts,
  lastStatus: row.lastStatus,
  lastError: row.lastError,
  createdAt: row.createdAt.toISOString(),
  lastAttemptAt: row.lastAttemptAt?.toISOString() ?? null,
  nextAttemptAt: row.nextAttemptAt?.toISOString() ?? null,
  deliveredAt: row.deliveredAt?.toISOString() ?? null,
  failedAt: row.failedAt?.toISOString() ?? null,
})
