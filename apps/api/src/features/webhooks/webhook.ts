import type { webhooks } from '@rolecall/contract'

/** A webhook as the store returns it, without its secret. */
export interface WebhookRow
  extends Omit<webhooks.InboundWebhook, 'secretSetAt' | 'createdAt' | 'updatedAt' | 'lastSubmissionAt'> {
  readonly secretSetAt: Date
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly lastSubmissionAt: Date | null
}

/** Converts a webhook, or its listed fields, to the form of the contract. */
export const toWebhook = <Row extends Omit<WebhookRow, 'schema'>>(row: Row) => ({
  ...row,
  secretSetAt: row.secretSetAt.toISOString(),
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  lastSubmissionAt: row.lastSubmissionAt?.toISOString() ?? null,
})
