import { DatabaseUnavailable } from '#platform/db/database'
import type { Deps } from '../../deps.ts'
import { markReviewed, schemasOfOtherLimits } from './schemas-store.ts'

/**
 * Checks at the start of the service the schemas that an earlier version accepted under other limits. A schema within
 * the current limits is marked, and not checked again. A schema beyond them stays in use, is validated in a worker
 * thread, and is logged at each start.
 */
export async function reviewStoredSchemas({
  db,
  schemas,
  log,
}: Pick<Deps, 'db' | 'schemas'> & {
  readonly log: { readonly warn: (facts: object, message: string) => void }
}): Promise<void> {
  try {
    let after: string | undefined
    for (;;) {
      const page = await schemasOfOtherLimits(db, after)
      for (const { id, name, projectId, schema, version } of page) {
        const problems = await schemas.check('start', schema)
        if (problems.length === 0) await markReviewed(db, id, version)
        else {
          const places = problems.slice(0, 5).map(({ path, message }) => `${path || 'it'} ${message}`)
          log.warn(
            { webhookId: id, name, projectId, places },
            'inbound webhook schema exceeds the limits: validation is slow. Replace it with a smaller schema',
          )
        }
      }
      after = page.at(-1)?.id
      if (after === undefined) return
    }
  } catch (error) {
    // The database client logs the outage.
    if (error instanceof DatabaseUnavailable) return
    log.warn({ err: error }, 'stored schema review stopped: the next start continues')
  }
}
