import { projects } from '@rolecall/contract'
import type { Router } from '#platform/http/router'
import type { Deps } from '../../deps.ts'
import { by, type Callers } from '../callers.ts'
import { readApiKey, regenerateApiKey, restoreApiKey, revokeApiKey } from './api-key.ts'
import { createProject, type PlanInitialAccess } from './create-project.ts'
import { deleteProject } from './delete-project.ts'
import { listProjects } from './list-projects.ts'
import { type ListAccess, readProjectRecord } from './project-record.ts'
import { readProject } from './read-project.ts'
import { updateProject } from './update-project.ts'
import { updateRedirectUris } from './update-redirect-uris.ts'

/** What the feature of access does for projects; `app.ts` passes it. */
export interface ProjectNeeds {
  readonly listAccess: ListAccess
  readonly planInitialAccess: PlanInitialAccess
}

export function projectRoutes({ route }: Router<Callers>, allDeps: Deps, needs: ProjectNeeds) {
  const deps = { ...allDeps, ...needs }

  route(projects.listProjects, ({ query: { limit = 10_000, offset = 0, ...filters } }) =>
    listProjects(deps, { limit, offset, ...filters }),
  )
  route(projects.createProject, async (request) => {
    const { id, apiKey } = await createProject(deps, by(request), request.body)
    return { project: await readProjectRecord(deps, id), apiKey }
  })
  route(projects.readProject, ({ params }) => readProject(deps, params.id))
  route(projects.updateProject, async (request) => {
    await updateProject(deps, by(request), request.params.id, request.body)
    return readProjectRecord(deps, request.params.id)
  })
  route(projects.deleteProject, (request) => deleteProject(deps, by(request), request.params.id))
  route(projects.readApiKey, ({ params }) => readApiKey(deps, params.id))
  route(projects.revokeApiKey, (request) => revokeApiKey(deps, by(request), request.params.id))
  route(projects.restoreApiKey, (request) => restoreApiKey(deps, by(request), request.params.id))
  route(projects.regenerateApiKey, (request) => regenerateApiKey(deps, by(request), request.params.id))
  route(projects.updateRedirectUris, async (request) => {
    await updateRedirectUris(deps, by(request), request.params.id, request.body.redirectUri)
    return readProjectRecord(deps, request.params.id)
  })
}
