import {
  type access,
  apiKeys,
  branding,
  eventDeliveries,
  type forwardAuth,
  projects,
} from '@rolecall/contract'
import { Answer } from '#platform/http/answer'
import { ApiError } from '#platform/http/api-error'
import type { Router } from '#platform/http/router'
import { type AdminCaller, by, type Callers } from '../../callers/callers.ts'
import type { ChangeDeps, Deps } from '../../deps.ts'
import { addApiKey, regenerateApiKey, restoreApiKey, revokeApiKey, revokeOneApiKey } from './api-key.ts'
import { removeLogo, setLogo } from './change-logo.ts'
import { addRedirectUri, removeRedirectUri, setRedirectUris } from './change-redirect-uris.ts'
import { createProject, type PlanInitialAccess, type PlanWebhook } from './create-project.ts'
import type { ForwardAuthRules } from './forward-auth-rules.ts'
import { listKeys } from './key-store.ts'
import { logoResponse } from './logo-answer.ts'
import { findLogo } from './logo-store.ts'
import { forAuditor, toKeyInfo, toProject, toProjectKey, toProjects } from './project.ts'
import { rotateEventsSecret } from './rotate-events-secret.ts'
import { countProjects, findProject, listProjects } from './store.ts'
import { deleteProject, updateProject } from './update-project.ts'
import { checkReadable } from './webhook-url.ts'

/** The maximum number of listed keys. At most five are valid, and the audit log contains the older ones. */
const maxKeysShown = 50

/** The functions of other features that projects call. `app.ts` passes them. */
export interface ProjectNeeds {
  readonly planInitialAccess: PlanInitialAccess
  readonly planWebhook: PlanWebhook
  readonly listMappings: (projectIds: readonly string[]) => Promise<access.AccessMapping[]>
  /** Lists the protected hosts and rules, by project. */
  readonly listForwardAuth: (
    projectIds: readonly string[],
  ) => Promise<ReadonlyMap<string, forwardAuth.ForwardAuth>>
  readonly forwardAuthRules: ForwardAuthRules
}

/** Registers the endpoints that administrators use to manage projects, their API keys, redirect URIs, and logos. */
export function projectRoutes({ route }: Router<Callers>, deps: Deps, needs: ProjectNeeds) {
  const { db, runDry } = deps
  const get = async (id: string) => {
    const row = await findProject(db, id)
    if (!row) throw new ApiError('PROJECT_NOT_FOUND')
    return row
  }
  const { forwardAuthRules } = needs
  const show = async (id: string) =>
    toProject(await get(id), await needs.listMappings([id]), (await needs.listForwardAuth([id])).get(id))

  route(projects.listProjects, async ({ caller, query: { limit = 500, offset = 0, ...filter } }) => {
    const rows = await listProjects(db, filter, { limit, offset })
    const ids = rows.map(({ id }) => id)
    const [mappings, rules] = [await needs.listMappings(ids), await needs.listForwardAuth(ids)]
    return {
      data: toProjects(rows, mappings, rules).map(shownTo(caller)),
      total: await countProjects(db, filter),
    }
  })
  route(projects.createProject, async (request) => {
    const { id, ...secrets } = await createProject({ ...deps, ...needs }, by(request), request.body)
    return { project: await show(id), ...secrets }
  })
  route(projects.getProject, async ({ caller, params: { id } }) => {
    // An unreadable webhook address is reported only here. Lists and changes do not decrypt it, so they still work.
    checkReadable(deps.config, id, await get(id))
    return shownTo(caller)(await show(id))
  })
  route(projects.updateProject, async (request) => {
    const { id } = request.params
    const change = (parts: ChangeDeps) =>
      updateProject({ ...deps, ...parts, forwardAuthRules }, by(request), id, request.body)
    if (request.query.dryRun) return runDry({ projectId: id }, change)
    const secrets = await change(deps)
    return { ...(await show(id)), ...secrets }
  })
  route(projects.deleteProject, async (request) => {
    const { id } = request.params
    const change = (parts: ChangeDeps) => deleteProject({ ...deps, ...parts }, by(request), id)
    if (request.query.dryRun) return runDry({ projectId: id }, change)
    await change(deps)
    return new Answer(204)
  })
  route(apiKeys.getApiKey, async ({ params }) => toKeyInfo(await get(params.id)))
  route(apiKeys.revokeApiKey, async (request) => {
    const { id } = request.params
    const change = (parts: ChangeDeps) => revokeApiKey(parts, by(request), id)
    if (request.query.dryRun) return runDry({ projectId: id }, change)
    await change(deps)
    return new Answer(204)
  })
  route(apiKeys.restoreApiKey, (request) => restoreApiKey(deps, by(request), request.params.id, request.body))
  route(apiKeys.regenerateApiKey, (request) =>
    regenerateApiKey(deps, by(request), request.params.id, request.body),
  )
  route(apiKeys.listApiKeys, async ({ params: { id } }) => {
    await get(id)
    const data = (await listKeys(db, id, maxKeysShown)).map(toProjectKey)
    return { data, total: data.length }
  })
  route(apiKeys.addApiKey, (request) => addApiKey(deps, by(request), request.params.id, request.body))
  route(apiKeys.revokeOneApiKey, async (request) => {
    const { id, keyId } = request.params
    const change = (parts: ChangeDeps) => revokeOneApiKey(parts, by(request), id, keyId)
    if (request.query.dryRun) return runDry({ projectId: id }, change)
    await change(deps)
    return new Answer(204)
  })
  route(eventDeliveries.rotateEventsSecret, (request) =>
    rotateEventsSecret(deps, by(request), request.params.id, request.body),
  )
  route(projects.setRedirectUris, async (request) => {
    await setRedirectUris(deps, by(request), request.params.id, request.body.redirectUri)
    return show(request.params.id)
  })
  route(projects.addRedirectUri, async (request) => {
    const isNew = await addRedirectUri(deps, by(request), request.params.id, request.body.uri)
    return new Answer(isNew ? 201 : 200, await show(request.params.id))
  })
  route(projects.removeRedirectUri, async (request) => {
    await removeRedirectUri(deps, by(request), request.params.id, request.query.uri)
    return new Answer(204)
  })
  route(branding.setLogo, async (request) => {
    await setLogo(deps, by(request), request.params.id, request.body)
    return new Answer(204)
  })
  route(branding.removeLogo, async (request) => {
    await removeLogo(deps, by(request), request.params.id)
    return new Answer(204)
  })
  route(branding.getLogo, async ({ params, query, raw }) => {
    const logo = await findLogo(db, params.id)
    if (!logo) throw new ApiError('LOGO_NOT_FOUND')
    return logoResponse(logo, { version: query.v, ifNoneMatch: raw.headers['if-none-match'] })
  })
}

/** Returns the function that converts a project to what this caller may see. */
const shownTo = ({ kind }: AdminCaller) =>
  kind === 'auditor' ? forAuditor : (project: projects.Project) => project
