import { storedName, type webhooks } from '@rolecall/contract'
import type { By } from '#audit/event'
import { uuidv7 } from '#platform/crypto/uuid'
import type { Tx } from '#platform/db/database'
import { ApiError } from '#platform/http/api-error'
import { refuseTaken } from '../../checks/refuse-taken.ts'
import type { Deps } from '../../deps.ts'
import { checkInput, findInputProblems } from './check-input.ts'
import { mintSecret } from './secret.ts'
import { toWebhook } from './webhook.ts'
import { findWebhook, insertWebhook, lockProject, slugsOf } from './webhook-store.ts'

type CreateDeps = Pick<Deps, 'db' | 'audit' | 'config' | 'settings' | 'schemas'>

/**
 * Creates a webhook with its first signing secret. The secret is in this response, and cannot be read again.
 *
 * @throws PROJECT_NOT_FOUND, WEBHOOK_LIMIT_REACHED, WEBHOOK_SLUG_TAKEN, ENCRYPTION_KEY_MISSING, and the errors of
 * `checkInput`
 */
export async function createWebhook(
  deps: CreateDeps,
  by: By,
  projectId: string,
  input: webhooks.CreateWebhook,
): Promise<webhooks.CreatedInboundWebhook> {
  await checkInput(deps, projectId, input)
  return refuseTakenSlug(() =>
    deps.db.transaction(async (tx) => {
      const created = await addWebhook(deps, tx, projectId, input)
      await deps.audit.record(tx, {
        ...by,
        actionType: 'webhook',
        action: 'webhook.create',
        target: { type: 'webhook', id: created.id, name: created.name },
        summary: `Inbound webhook ${created.name} was created.`,
      })
      return created
    }),
  )
}

/**
 * Prepares the webhook that is created together with a project. Returns the problems of the input, and a function that
 * creates the webhook in the project's transaction. The audit entry of the project covers the webhook.
 */
export const planWebhook = async (deps: Omit<CreateDeps, 'db' | 'audit'>, input: webhooks.CreateWebhook) => ({
  problems: await findInputProblems(deps, 'new', input, '/inboundWebhook'),
  provision: (tx: Tx, projectId: string) => addWebhook(deps, tx, projectId, input),
})

/**
 * Adds a webhook. Locks the project until the transaction ends, so that concurrent requests cannot exceed the maximum
 * number of webhooks together.
 */
async function addWebhook(
  { config, settings }: Pick<CreateDeps, 'config' | 'settings'>,
  tx: Tx,
  projectId: string,
  input: webhooks.CreateWebhook,
) {
  if (!(await lockProject(tx, projectId))) throw new ApiError('PROJECT_NOT_FOUND')
  const slugs = await slugsOf(tx, projectId)
  const { maxWebhooksPerProject: max } = settings.current()
  if (slugs.length >= max)
    throw new ApiError('WEBHOOK_LIMIT_REACHED', {
      detail: `The project has ${slugs.length} of ${max} inbound webhooks.`,
    })
  const id = uuidv7()
  const { secret, secretSealed } = mintSecret(config, id)
  await insertWebhook(tx, {
    id,
    projectId,
    name: storedName(input.name),
    slug: input.slug ?? freeSlug(input.name, slugs),
    schema: input.schema,
    acceptedOrigins: input.acceptedOrigins ?? [],
    allowedRoleIds: input.allowedRoleIds ?? [],
    isActive: input.isActive ?? true,
    requireSignature: input.requireSignature ?? false,
    secretSealed,
  })
  const row = await findWebhook(tx, projectId, id)
  if (!row) throw new Error('The webhook was not stored.')
  return { ...toWebhook(row), secret }
}

/** Derives a slug from the name. Appends a number if the slug is taken: `orders`, `orders-2`. */
function freeSlug(name: string, taken: readonly string[]): string {
  const words = name.normalize('NFKD').toLowerCase().replace(/\p{M}/gu, '')
  const base =
    words
      .replace(/[^a-z0-9]+/g, '-')
      .slice(0, 50)
      .replace(/^-+|-+$/g, '') || 'webhook'
  for (let n = 1; ; n++) {
    const slug = n === 1 ? base : `${base}-${n}`
    if (!taken.includes(slug)) return slug
  }
}

/** Runs a change of a webhook. Refuses a slug that another webhook of the project has with WEBHOOK_SLUG_TAKEN. */
export const refuseTakenSlug = <T>(write: () => Promise<T>): Promise<T> =>
  refuseTaken(
    {
      index: 'inbound_webhooks_slug',
      code: 'WEBHOOK_SLUG_TAKEN',
      path: '/slug',
      message: 'is already used by another webhook of the project',
    },
    write,
  )
