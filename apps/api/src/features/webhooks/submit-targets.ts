import type { TenantSchema, TenantSchemas } from '@rolecall/tenant-schema/workers'
import { RecentMap } from '#platform/cache/recent-map'
import { batcher } from '#platform/db/batcher'
import type { Database } from '#platform/db/database'
import { ApiError } from '#platform/http/api-error'
import type { Config } from '../../config.ts'
import { findForSubmit, type HeldAgainst, loadForSubmit, type WebhookName } from './ingest-store.ts'
import { readSecret, type Unreadable } from './secret.ts'

/** The maximum number of targets that an instance caches. Others are read again when they are needed. */
const maxCached = 200

/**
 * The values that submissions with one key to one webhook are checked against, in one version of the webhook.
 */
export interface SubmitTarget extends HeldAgainst {
  readonly projectId: string
  readonly schema: TenantSchema
  readonly acceptedOrigins: readonly string[]
  readonly requireSignature: boolean
  readonly secret: string | Unreadable
}

/** A target as a request names it. */
export interface NamedTarget {
  readonly keyDigest: string
  readonly idOrSlug: string
}

/**
 * Provides targets for submissions: the cached target, which may be outdated, so that the statement that stores a
 * submission must confirm it, or the current one.
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
  /** Loads a target. Waiting requests share the load, because it compiles a schema. */
  const loadOnce = (keyDigest: string, projectId: string, webhookId: string) => {
    const name = `${keyDigest} ${webhookId}`
    const running =
      loading.get(name) ?? load(keyDigest, projectId, webhookId).finally(() => loading.delete(name))
    loading.set(name, running)
    return running
  }

  return {
    /** Returns the cached target, which may be outdated. */
    cached: (named: NamedTarget): SubmitTarget | undefined => cache.get(cacheKeyOf(named)),
    /**
     * Reads the current target and time from the database.
     *
     * @throws WEBHOOK_NOT_FOUND, WEBHOOK_INACTIVE
     */
    async read(projectId: string, named: NamedTarget): Promise<{ target: SubmitTarget; nowMs: number }> {
      const found = await find({ projectId, idOrSlug: named.idOrSlug })
      if (!found) throw new ApiError('WEBHOOK_NOT_FOUND', { projectId })
      if (!found.isActive) throw new ApiError('WEBHOOK_INACTIVE', { projectId })
      const cached = cache.get(cacheKeyOf(named))
      const isCurrent = cached?.webhookId === found.id && cached.version === found.version
      const target = isCurrent ? cached : await loadOnce(named.keyDigest, projectId, found.id)
      cache.set(cacheKeyOf(named), target)
      return { target, nowMs: found.nowMs }
    },
  }
}
