import type { AuditEvent } from '#audit/event'
import type { Tx } from '#platform/db/database'
import { ApiError } from '#platform/http/api-error'
import type { Deps } from '../../deps.ts'
import { findProject, lockProject, type ProjectRow } from './store.ts'

/** An audit event without its type and target, which are always those of the project. */
type Recorded = Omit<AuditEvent, 'actionType' | 'target'>

/**
 * Makes a change to a project in a transaction that locks the project, so that changes to it run one after another.
 *
 * `change` receives the current state of the project, and a function `record`, which it must call to write the audit
 * entry. If nothing changes, it must not call `record`.
 *
 * @throws PROJECT_NOT_FOUND, and the errors of `change`
 */
export function changeProject<T>(
  { db, audit }: Pick<Deps, 'db' | 'audit'>,
  projectId: string,
  change: (tx: Tx, project: ProjectRow, record: (event: Recorded) => Promise<void>) => Promise<T>,
): Promise<T> {
  return db.transaction(async (tx) => {
    await lockProject(tx, projectId)
    const project = await findProject(tx, projectId)
    if (!project) throw new ApiError('PROJECT_NOT_FOUND')
    const target = { type: 'project', id: projectId, name: project.name }
    return change(tx, project, (event) => audit.record(tx, { ...event, actionType: 'project', target }))
  })
}
