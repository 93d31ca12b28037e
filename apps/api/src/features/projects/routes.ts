import { type access, projects } from '@rolecall/contract'
import { Answer } from '#platform/http/answer'
import { ApiError } from '#platform/http/api-error'
import type { Router } from '#platform/http/router'
import type { Deps } from '../../deps.ts'
import { by, type Callers } from '../callers.ts'
import { addApiKey, regenerateApiKey, restoreApiKey, revokeApiKey, revokeOneApiKey } from './api-key.ts'
import { createProject, type PlanInitialAccess, type PlanWebhook } from './create-project.ts'
import { listKeys } from './key-store.ts'
import { toKeyInfo, toProject, toProjectKey, toProjects } from './project.ts'
import { countProjects, findProject, listProjects } from './store.ts'
import { deleteProject, setRedirectUris, updateProject } from './update-project.ts'
import { checkReadable } from './webhook-url.ts'

/** Five work at most; more are of interest to nobody but the audit log. */
const maxKeysShown = 50

/** What other features do for projects; `app.ts` passes it. */
export interface ProjectNeeds {
  readonly planInitialAccess: PlanInitialAccess
  readonly planWebhook: PlanWebhook
  readonly listMappings: (projectIds: readonly string[]) => Promise<access.AccessMapping[]>
}

export function projectRoutes({ route }: Router<Callers>, deps: Deps, needs: ProjectNeeds) {
  const { db } = deps
  const get = async (id: string) => {
    const row = await findProject(db, id)
    if (!row) throw new ApiError('PROJECT_NOT_FOUND')
    return row
  }
  const show = async (id: string) => toProject(await get(id), await needs.listMappings([id]))

  route(projects.listProjects, async ({ query: { limit = 500, offset = 0, ...filter } }) => {
    const rows = await listProjects(db, filter, { limit, offset })
    const mappings = await needs.listMappings(rows.map(({ id }) => id))
    return { data: toProjects(rows, mappings), total: await countProjects(db, filter) }
  })
  route(projects.createProject, async (request) => {
    const { id, ...secrets } = await createProject(
      { ...deps, planInitialAccess: needs.planInitialAccess, planWebhook: needs.planWebhook },
      by(request),
      request.body,
    )
    return { project: await show(id), ...secrets }
  })
  route(projects.getProject, async ({ params: { id } }) => {
    // A secret that nobody can read is told of here, on its own record; lists and changes do not open it.
    checkReadable(deps.config, id, await get(id))
    return show(id)
  })
  route(projects.updateProject, async (request) => {
    await updateProject(deps, by(request), request.params.id, request.body)
    return show(request.params.id)
  })
  route(projects.deleteProject, async (request) => {
    await deleteProject(deps, by(request), request.params.id)
    return new Answer(204)
  })
  route(projects.getApiKey, async ({ params }) => toKeyInfo(await get(params.id)))
  route(projects.revokeApiKey, (request) => revokeApiKey(deps, by(request), request.params.id))
  route(projects.restoreApiKey, (request) => restoreApiKey(deps, by(request), request.params.id))
  route(projects.regenerateApiKey, (request) =>
    regenerateApiKey(deps, by(request), request.params.id, request.body),
  )
  route(projects.listApiKeys, async ({ params: { id } }) => {
    await get(id)
    const data = (await listKeys(db, id, maxKeysShown)).map(toProjectKey)
    return { data, total: data.length }
  })
  route(projects.addApiKey, (request) => addApiKey(deps, by(request), request.params.id, request.body))
  route(projects.revokeOneApiKey, (request) =>
    revokeOneApiKey(deps, by(request), request.params.id, request.params.keyId),
  )
  route(projects.setRedirectUris, async (request) => {
    await setRedirectUris(deps, by(request), request.params.id, request.body.redirectUri)
    return show(request.params.id)
  })
}
