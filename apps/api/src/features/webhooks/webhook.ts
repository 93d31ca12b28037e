import type { webhooks } from '@rolecall/contract'

/** An inbound webhook as the store returns it: with dates instead of text, and without its secret. */
export interface WebhookRow
  extends Omit<webhooks.InboundWebhook, 'secretSetAt' | 'createdAt' | 'updatedAt' | 'lastSubmissionAt'> {
  readonly secretSetAt: Date
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly lastSubmissionAt: Date | null
}

/** Converts a webhook to the form of the contract. Also accepts a row of a list, which has no schema. */
export const toWebhook = <Row extends Omit<WebhookRow, 'schema'>>(row: Row) => ({
  ...row,
  secretSetAt: row.secretSetAt.toISOString(),
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  lastSubmissionAt: row.lastSubmissionAt?.toISOString() ?? null,
})
