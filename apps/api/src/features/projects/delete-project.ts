import { ApiError } from '#platform/http/api-error'
import type { By, Deps } from '../../deps.ts'
import { lockProject, markDeleted } from './store.ts'

/**
 * Deletes a project softly: every read of keys, sessions, codes and names leaves out deleted projects, so
 * this one statement ends them all, and the audit history keeps what it refers to.
 */
export async function deleteProject({ db, audit }: Pick<Deps, 'db' | 'audit'>, by: By, id: string) {
  await db.transaction(async (tx) => {
    const project = await lockProject(tx, id)
    if (!project) throw new ApiError('PROJECT_NOT_FOUND')
    await markDeleted(tx, id)
    await audit.record(tx, {
      ...by,
      actionType: 'project',
      action: 'project.delete',
      target: { type: 'project', id, name: project.name },
      summary: `Project ${project.name} was deleted; its key and sessions ended.`,
    })
  })
}
