import { storedName, type webhooks } from '@rolecall/contract'
import type { By } from '#audit/event'
import { digestOf } from '#platform/crypto/tokens'
import type { Tx } from '#platform/db/database'
import { ApiError } from '#platform/http/api-error'
import type { Deps } from '../../deps.ts'
import { checkInput } from './check-input.ts'
import { refuseTakenSlug } from './create-webhook.ts'
import { schemaLimits } from './schemas-store.ts'
import { mintSecret } from './secret.ts'
import { toWebhook, type WebhookRow } from './webhook.ts'
import {
  findWebhook,
  lockWebhook,
  markDeleted,
  replaceSecret,
  updateWebhook as storeWebhook,
  type WebhookValues,
} from './webhook-store.ts'

type ChangeDeps = Pick<Deps, 'db' | 'audit' | 'config'>

/** Identifies a webhook. An ID that belongs to another project is not found. */
export interface Target {
  readonly projectId: string
  readonly webhookId: string
}

/**
 * Changes the given fields of a webhook. The audit entry lists only the fields whose values changed. Without changes,
 * there is no audit entry.
 *
 * @throws WEBHOOK_NOT_FOUND, WEBHOOK_SLUG_TAKEN, and the errors of `checkInput`
 */
export async function updateWebhook(
  deps: ChangeDeps & Pick<Deps, 'schemas'>,
  by: By,
  target: Target,
  input: webhooks.UpdateWebhook,
): Promise<webhooks.InboundWebhook> {
  await checkInput(deps, target.projectId, input)
  return refuseTakenSlug(() =>
    changed(deps, target, async (tx, row) => {
      const name = input.name === undefined ? row.name : storedName(input.name)
      const next: WebhookValues = { ...valuesOf(row), ...input, name }
      const changes = differences(valuesOf(row), next)
      const fields = Object.keys(changes)
      if (fields.length === 0) return toWebhook(row)
      await storeWebhook(tx, row.id, next, input.schema && schemaLimits)
      await record(
        deps,
        tx,
        by,
        { ...row, name: next.name },
        'update',
        `was changed: ${fields.join(', ')}`,
        changes,
      )
      return toWebhook((await findWebhook(tx, row.projectId, row.id)) ?? row)
    }),
  )
}

/**
 * Replaces the signing secret, and returns the new secret, which cannot be read again. The old secret is invalid as
 * soon as the transaction commits.
 *
 * @throws WEBHOOK_NOT_FOUND, ENCRYPTION_KEY_MISSING
 */
export const rotateSecret = (deps: ChangeDeps, by: By, target: Target): Promise<{ secret: string }> =>
  changed(deps, target, async (tx, row) => {
    const { secret, secretSealed } = mintSecret(deps.config, row.id)
    await replaceSecret(tx, row.id, secretSealed)
    await record(deps, tx, by, row, 'rotate', 'has a new signing secret')
    return { secret }
  })

/**
 * Deletes a webhook. As soon as the transaction commits, the webhook accepts no submissions, and its submissions cannot
 * be read. Housekeeping deletes the submissions later, in small batches.
 *
 * @throws WEBHOOK_NOT_FOUND
 */
export const deleteWebhook = (deps: ChangeDeps, by: By, target: Target): Promise<void> =>
  changed(deps, target, async (tx, row) => {
    await markDeleted(tx, row.id)
    await record(deps, tx, by, row, 'delete', 'was deleted')
  })

/**
 * Locks the webhook, and makes a change in the same transaction. Throws WEBHOOK_NOT_FOUND if there is no such webhook.
 */
async function changed<T>(
  { db }: ChangeDeps,
  { projectId, webhookId }: Target,
  change: (tx: Tx, row: WebhookRow) => Promise<T>,
): Promise<T> {
  return db.transaction(async (tx) => {
    const row = (await lockWebhook(tx, projectId, webhookId)) && (await findWebhook(tx, projectId, webhookId))
    if (!row) throw new ApiError('WEBHOOK_NOT_FOUND')
    return change(tx, row)
  })
}

/** The changed fields of an audit entry, each with its old and new value. */
type Changes = Record<string, { before: unknown; after: unknown }>

const record = (
  { audit }: ChangeDeps,
  tx: Tx,
  by: By,
  { id, name }: { id: string; name: string },
  verb: string,
  what: string,
  changes?: Changes,
) =>
  audit.record(tx, {
    ...by,
    actionType: 'webhook',
    action: `webhook.${verb}`,
    target: { type: 'webhook', id, name },
    summary: `Inbound webhook ${name} ${what}.`,
    ...(changes && { changes }),
  })

const valuesOf = (row: WebhookRow): WebhookValues => ({
  name: row.name,
  slug: row.slug,
  schema: row.schema,
  acceptedOrigins: row.acceptedOrigins,
  allowedRoleIds: row.allowedRoleIds,
  isActive: row.isActive,
  requireSignature: row.requireSignature,
})

function differences(before: WebhookValues, after: WebhookValues): Changes {
  const fields = (Object.keys(after) as (keyof WebhookValues)[]).filter(
    (field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]),
  )
  return Object.fromEntries(
    fields.map((field) => [field, { before: shown(field, before), after: shown(field, after) }]),
  )
}

/** Returns a value as the audit log shows it. Replaces a schema with its hash, because a schema may be very long. */
const shown = (field: keyof WebhookValues, values: WebhookValues) =>
  field === 'schema' ? `sha256:${digestOf(JSON.stringify(values.schema))}` : values[field]
