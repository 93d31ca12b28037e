import type { TenantSchema, TenantSchemas } from '@rolecall/tenant-schema/workers'
import { RecentMap } from '#platform/cache/recent-map'
import { batcher } from '#platform/db/batcher'
import type { Database } from '#platform/db/database'
import { ApiError } from '#platform/http/api-error'
import type { Config } from '../../config.ts'
import { findForSubmit, type HeldAgainst, loadForSubmit, type WebhookName } from './ingest-store.ts'
import { readSecret, type Unreadable } from './secret.ts'

/** The maximum number of targets that an instance caches; others are read again when they are needed. */
const maxKept = 200

/**
 * A key with a webhook that it submits to, and everything that a submission is checked against in one version of the
 * webhook.
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
 * Provides the targets that submissions are checked against: the cached one, which the statement that stores a
 * submission confirms, or the current one.
 */
export function createSubmitTargets(db: Database, config: Config, schemas: TenantSchemas) {
  const find = batcher((names: WebhookName[]) => findForSubmit(db, names), db.maxBatchesAtOnce)
  const kept = new RecentMap<SubmitTarget>(maxKept)
  const entryOf = ({ keyDigest, idOrSlug }: NamedTarget) => `${keyDigest} ${idOrSlug}`

  const load = async (keyDigest: string, projectId: string, webhookId: string) => {
    const row = await loadForSubmit(db, webhookId)
    if (!row) throw new ApiError('WEBHOOK_NOT_FOUND', { projectId })
    const { secretSealed, ...values } = row
    const schema = await schemas.open(projectId, row.schema)
    const secret = readSecret(config, webhookId, secretSealed)
    return { ...values, keyDigest, projectId, webhookId, schema, secret }
  }
  const loading = new Map<string, Promise<SubmitTarget>>()
  /** Loads once for all waiting requests, because compiling a schema is work. */
  const loadOnce = (keyDigest: string, projectId: string, webhookId: string) => {
    const name = `${keyDigest} ${webhookId}`
    const running =
      loading.get(name) ?? load(keyDigest, projectId, webhookId).finally(() => loading.delete(name))
    loading.set(name, running)
    return running
  }

  return {
    /** Returns the cached target, which may be outdated. */
    known: (named: NamedTarget): SubmitTarget | undefined => kept.get(entryOf(named)),
    /**
     * Returns the current target and time, both by the database.
     * @throws WEBHOOK_NOT_FOUND, WEBHOOK_INACTIVE
     */
    async read(projectId: string, named: NamedTarget): Promise<{ target: SubmitTarget; nowMs: number }> {
      const found = await find({ projectId, idOrSlug: named.idOrSlug })
      if (!found) throw new ApiError('WEBHOOK_NOT_FOUND', { projectId })
      if (!found.isActive) throw new ApiError('WEBHOOK_INACTIVE', { projectId })
      const known = kept.get(entryOf(named))
      const isCurrent = known?.webhookId === found.id && known.version === found.version
      const target = isCurrent ? known : await loadOnce(named.keyDigest, projectId, found.id)
      kept.set(entryOf(named), target)
      return { target, nowMs: found.nowMs }
    },
  }
}
