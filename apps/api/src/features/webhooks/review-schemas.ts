import { DatabaseUnavailable } from '#platform/db/database'
import type { Deps } from '../../deps.ts'
import { markReviewed, schemasOfOtherLimits } from './schemas-store.ts'

/**
 * Looks once at the schemas that were stored under other limits than those of today. What keeps to the limits is
 * marked; what does not stays in use, is validated in a worker, and is told with each start.
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
            'the schema of an inbound webhook is over the limits: it is validated apart, and slowly. Give it a smaller one',
          )
        }
      }
      after = page.at(-1)?.id
      if (after === undefined) return
    }
  } catch (error) {
    // An outage is told once, by whoever watches the database.
    if (error instanceof DatabaseUnavailable) return
    log.warn({ err: error }, 'stored schemas were not all looked at; the next start goes on')
  }
}
