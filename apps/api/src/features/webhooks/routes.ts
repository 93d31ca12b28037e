import { allWebhooks, webhooks } from '@rolecall/contract'
import { Answer } from '#platform/http/answer'
import { ApiError } from '#platform/http/api-error'
import type { Client, Router } from '#platform/http/router'
import { by, type Callers, type ProjectCaller } from '../../callers/callers.ts'
import type { ChangeDeps, Deps, OpenDownload } from '../../deps.ts'
import { deleteWebhook, rotateSecret, updateWebhook } from './change-webhook.ts'
import { createWebhook } from './create-webhook.ts'
import { countAllWebhooks, listAllWebhooks } from './list-all-store.ts'
import { exportSubmissions, type LiveRoleIds, listSubmissions, readSubmissions } from './read-submissions.ts'
import { createSubmit } from './submit.ts'
import { tryPayload } from './try-payload.ts'
import { toWebhook } from './webhook.ts'
import {
  findWebhook,
  findWebhookId,
  listWebhooks,
  mayManageWebhooks,
  projectExists,
} from './webhook-store.ts'

/** The functions of other features that webhooks call. `app.ts` passes them. */
export interface WebhookNeeds {
  readonly liveRoleIds: LiveRoleIds
  readonly openDownload: OpenDownload
  /** Returns the project ID of a valid key. Throws for any other key. */
  readonly checkKey: (key: string) => Promise<string>
}

/**
 * Registers the endpoints of inbound webhooks: for administrators, for projects, for senders of submissions, and for
 * members who read submissions.
 */
export function webhookRoutes(router: Router<Callers>, deps: Deps, needs: WebhookNeeds) {
  adminRoutes(router, deps, needs)
  ownRoutes(router, deps)
  router.routeRaw(webhooks.submit, createSubmit({ ...deps, checkKey: needs.checkKey }))
  router.route(webhooks.readSubmissions, ({ caller, params, query }) =>
    readSubmissions({ ...deps, ...needs }, caller, params.id, query),
  )
}

const listOf = async ({ db }: Deps, projectId: string) => {
  const rows = await listWebhooks(db, projectId)
  return { data: rows.map(toWebhook), total: rows.length }
}

const getOf = async ({ db }: Deps, projectId: string, webhookId: string) => {
  const row = await findWebhook(db, projectId, webhookId)
  if (!row) throw new ApiError('WEBHOOK_NOT_FOUND')
  return toWebhook(row)
}

function adminRoutes({ route }: Router<Callers>, deps: Deps, { openDownload }: WebhookNeeds) {
  route(webhooks.listWebhooks, async ({ params: { projectId } }) => {
    if (!(await projectExists(deps.db, projectId))) throw new ApiError('PROJECT_NOT_FOUND')
    return listOf(deps, projectId)
  })
  route(allWebhooks.listAllWebhooks, async ({ query: { name, limit = 100, offset = 0 } }) => {
    const [rows, total] = await Promise.all([
      listAllWebhooks(deps.db, name, limit, offset),
      countAllWebhooks(deps.db, name),
    ])
    return { data: rows.map(toWebhook), total }
  })
  route(webhooks.createWebhook, (request) =>
    createWebhook(deps, by(request), request.params.projectId, request.body),
  )
  route(webhooks.getWebhook, ({ params }) => getOf(deps, params.projectId, params.webhookId))
  route(webhooks.updateWebhook, (request) => {
    const { params, body } = request
    const change = (parts: ChangeDeps) => updateWebhook({ ...deps, ...parts }, by(request), params, body)
    return request.query.dryRun ? deps.runDry({ projectId: params.projectId }, change) : change(deps)
  })
  route(webhooks.deleteWebhook, async (request) => {
    const { params } = request
    const change = (parts: ChangeDeps) => deleteWebhook({ ...deps, ...parts }, by(request), params)
    if (request.query.dryRun) return deps.runDry({ projectId: params.projectId }, change)
    await change(deps)
    return new Answer(204)
  })
  route(webhooks.tryPayload, ({ params, body }) => tryPayload(deps, params, body))
  route(webhooks.rotateSecret, (request) => rotateSecret(deps, by(request), request.params))
  route(webhooks.listSubmissions, ({ params, query }) => listSubmissions(deps, params, query))
  route(webhooks.exportSubmissions, (request) =>
    exportSubmissions({ ...deps, openDownload }, by(request), request.params, request.query),
  )
}

/** Registers the endpoints that a project uses to manage its own webhooks. They require its key and MANAGE_WEBHOOKS. */
function ownRoutes({ route }: Router<Callers>, deps: Deps) {
  const { db } = deps
  /** Returns the calling project's ID. Throws OPERATION_REQUIRED if the project may not manage webhooks. */
  const manager = async ({ projectId }: ProjectCaller) => {
    if (!(await mayManageWebhooks(db, projectId))) {
      throw new ApiError('OPERATION_REQUIRED', {
        projectId,
        detail: 'The project needs MANAGE_WEBHOOKS in at least one server.',
      })
    }
    return projectId
  }
  const target = async (caller: ProjectCaller, idOrSlug: string) => {
    const projectId = await manager(caller)
    const webhookId = await findWebhookId(db, projectId, idOrSlug)
    if (!webhookId) throw new ApiError('WEBHOOK_NOT_FOUND', { projectId })
    return { projectId, webhookId }
  }

  route(webhooks.listOwnWebhooks, async ({ caller }) => listOf(deps, await manager(caller)))
  route(webhooks.createOwnWebhook, async ({ caller, client, body }) =>
    createWebhook(deps, byProject(client), await manager(caller), body),
  )
  route(webhooks.getOwnWebhook, async ({ caller, params }) => {
    const { projectId, webhookId } = await target(caller, params.id)
    return getOf(deps, projectId, webhookId)
  })
  route(webhooks.updateOwnWebhook, async ({ caller, client, params, body }) =>
    updateWebhook(deps, byProject(client), await target(caller, params.id), body),
  )
  route(webhooks.deleteOwnWebhook, async ({ caller, client, params }) => {
    await deleteWebhook(deps, byProject(client), await target(caller, params.id))
    return new Answer(204)
  })
  route(webhooks.rotateOwnSecret, async ({ caller, client, params }) =>
    rotateSecret(deps, byProject(client), await target(caller, params.id)),
  )
}

/** Returns the author of an audit entry: the client of the request, and no actor, because a key is not a person. */
const byProject = (client: Client) => ({ client })
