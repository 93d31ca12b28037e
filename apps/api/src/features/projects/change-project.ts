import type { AuditEvent } from '#audit/event'
import type { Tx } from '#platform/db/database'
import { ApiError } from '#platform/http/api-error'
import type { Deps } from '../../deps.ts'
import { findProject, lockProject, type ProjectRow } from './store.ts'

type Recorded = Omit<AuditEvent, 'actionType' | 'target'>

/**
 * Runs a change of one project in a transaction that locks it, so that the recorded "before" is the real previous
 * state. `record` writes the audit entry; a change without effect never calls it.
 * @throws PROJECT_NOT_FOUND
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
