import type { TenantSchema, TenantSchemas } from '@rolecall/tenant-schema/workers'
import { RecentMap } from '#platform/cache/recent-map'
import { batcher } from '#platform/db/batcher'
import type { Database } from '#platform/db/database'
import { ApiError } from '#platform/http/api-error'
import type { Config } from '../../config.ts'
import {
  type FoundWebhook,
  findForSubmit,
  type HeldAgainst,
  loadForSubmit,
  type WebhookName,
} from './ingest-store.ts'
import { readSecret, type Unreadable } from './secret.ts'

/** The maximum number of targets that an instance caches. */
const maxCached = 200

/**
 * The values that submissions with one key to one webhook are checked against. They belong to one version of the
 * webhook.
 */
export interface SubmitTarget extends HeldAgainst {
  readonly projectId: string
  readonly schema: TenantSchema
  readonly acceptedOrigins: readonly string[]
  readonly requireSignature: boolean
  /** The signing secret, or the error for signed submissions if it cannot be decrypted. */
  readonly secret: string | Unreadable
}

/** A target as a request names it: by its API key, and by the webhook's ID or slug. */
export interface NamedTarget {
  readonly keyDigest: string
  readonly idOrSlug: string
}

/**
 * Creates the cache of targets. `cached` returns a target without a query. It may be outdated, so the statement that
 * stores the submission must confirm it. `read` returns the current target.
 */
export function createSubmitTargets(db: Database, config: Config, schemas: TenantSchemas) {
  const find = batcher((names: WebhookName[]) => findForSubmit(db, names), db.maxBatchesAtOnce)
  const cache = new RecentMap<SubmitTarget>(maxCached)
  const cacheKeyOf = ({ keyDigest, idOrSlug }: NamedTarget) => `${keyDigest} ${idOrSlug}`

  const load = async (keyDigest: string, projectId: string, webhookId: string) => {
    const row = await loadForSubmit(db, webhookId)
    if (!row) throw new ApiError('WEBHOOK_NOT_FOUND', { projectId })
    const { secretSealed, ...values } = row
    const schema = await schemas.open(projectId, row.schema)
    const secret = readSecret(config, webhookId, secretSealed)
    return { ...values, keyDigest, projectId, webhookId, schema, secret }
  }
  const loading = new Map<string, Promise<SubmitTarget>>()
  /**
   * Loads a target. Concurrent requests share the load, because it compiles a schema, which is expensive. A request that
   * found a later version does not share it: the load may have read the values of the earlier version.
   */
  const loadOnce = (keyDigest: string, projectId: string, { id: webhookId, version }: FoundWebhook) => {
    const name = `${keyDigest} ${webhookId} ${version}`
    const running =
      loading.get(name) ?? load(keyDigest, projectId, webhookId).finally(() => loading.delete(name))
    loading.set(name, running)
    return running
  }

  return {
    /** Returns the cached target, which may be outdated, or undefined. */
    cached: (named: NamedTarget): SubmitTarget | undefined => cache.get(cacheKeyOf(named)),
    /**
     * Reads the current target, and the time of the database's clock. The webhook's values and schema are loaded only
     * if its version has changed.
     *
     * @throws WEBHOOK_NOT_FOUND, WEBHOOK_INACTIVE
     */
    async read(projectId: string, named: NamedTarget): Promise<{ target: SubmitTarget; nowMs: number }> {
      const found = await find({ projectId, idOrSlug: named.idOrSlug })
      if (!found) throw new ApiError('WEBHOOK_NOT_FOUND', { projectId })
      if (!found.isActive) throw new ApiError('WEBHOOK_INACTIVE', { projectId })
      const cached = cache.get(cacheKeyOf(named))
      const isCurrent = cached?.webhookId === found.id && cached.version === found.version
      const target = isCurrent ? cached : await loadOnce(named.keyDigest, projectId, found)
      cache.set(cacheKeyOf(named), target)
      return { target, nowMs: found.nowMs }
    },
  }
}
