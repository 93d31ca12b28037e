import { RecentMap } from '#platform/cache/recent-map'
import type { Database } from '#platform/db/database'
import { gather } from '#platform/db/gather'
import { compileSchema } from '#platform/json-schema/compile-schema'
import type { Node } from '#platform/json-schema/keyword'
import type { Config } from '../../config.ts'
import { readSecret } from './secret.ts'
import { type FoundWebhook, findForSubmit, loadForSubmit, type SubmitTarget } from './submit-store.ts'

/** Compiled schemas that an instance keeps; others are read again when they are needed. */
const mostKept = 200

/** Everything that a submission is held against, in the version that is in force. */
export interface ReadyWebhook {
  readonly id: string
  readonly version: number
  readonly schema: Node
  readonly acceptedOrigins: readonly string[]
  readonly requireSignature: boolean
  /** Undefined when this service cannot read it. */
  readonly secret: string | undefined
}

/** A webhook as it is now, and the time by the database's clock. */
export interface FoundReady extends FoundWebhook {
  readonly ready: () => Promise<ReadyWebhook | undefined>
}

/**
 * Finds webhooks for submissions. State and version are read from the database for each request, many at
 * once; what is derived from a version is kept, and dropped when there is a newer one.
 */
export function createReadyWebhooks(db: Database, config: Config) {
  const find = gather((targets: SubmitTarget[]) => findForSubmit(db, targets), db.gathersAtOnce)
  const kept = new RecentMap<ReadyWebhook>(mostKept)

  const read = async (id: string): Promise<ReadyWebhook | undefined> => {
    const row = await loadForSubmit(db, id)
    if (!row) return undefined
    const compiled = compileSchema(row.schema)
    if ('problems' in compiled) throw new Error('A stored schema does not compile.')
    const { secretSealed, ...values } = row
    const ready = { ...values, id, schema: compiled.root, secret: readSecret(config, id, secretSealed) }
    kept.set(id, ready)
    return ready
  }
  const loading = new Map<string, Promise<ReadyWebhook | undefined>>()
  /** Once, however many wait: compiling is work. */
  const load = (id: string) => {
    const running = loading.get(id) ?? read(id).finally(() => loading.delete(id))
    loading.set(id, running)
    return running
  }
  return async (target: SubmitTarget): Promise<FoundReady | undefined> => {
    const found = await find(target)
    if (!found) return undefined
    const known = kept.get(found.id)
    return {
      ...found,
      ready: () => (known?.version === found.version ? Promise.resolve(known) : load(found.id)),
    }
  }
}
