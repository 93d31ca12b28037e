import { isDeepStrictEqual } from 'node:util'
import { ApiError } from '#platform/http/api-error'
import { invalid } from '#platform/http/router'
import type { By, Deps } from '../../deps.ts'
import { readRedirectUris } from './redirect-uris.ts'
import { lockProject, writeRedirectUris } from './store.ts'

/** Replaces the redirect URIs of a project. The list that is there already is not written again. */
export async function updateRedirectUris(
  { db, audit }: Pick<Deps, 'db' | 'audit'>,
  by: By,
  id: string,
  text: string,
): Promise<void> {
  const { uris, problems } = readRedirectUris(text)
  if (problems.length > 0) throw invalid(problems)
  await db.transaction(async (tx) => {
    const project = await lockProject(tx, id)
    if (!project) throw new ApiError('PROJECT_NOT_FOUND')
    if (isDeepStrictEqual(project.redirectUris, uris)) return
    await writeRedirectUris(tx, id, uris)
    await audit.record(tx, {
      ...by,
      actionType: 'project',
      action: 'project.update',
      target: { type: 'project', id, name: project.name },
      summary: `The redirect URIs of ${project.name} were changed.`,
      changes: { redirectUris: { before: project.redirectUris, after: uris } },
    })
  })
}
