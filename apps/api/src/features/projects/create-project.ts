import { type ProblemDetail, type projects, storedName, type webhooks } from '@rolecall/contract'
import type { By } from '#audit/event'
import { uuidv7 } from '#platform/crypto/uuid'
import { type Tx, violates } from '#platform/db/database'
import { ApiError } from '#platform/http/api-error'
import { invalid } from '#platform/http/check-request'
import type { Deps } from '../../deps.ts'
import { issueApiKey } from './api-key.ts'
import { complaintsAboutEventsUrl, setEventsUrl } from './events-address.ts'
import type { ForwardAuthRules } from './forward-auth-rules.ts'
import { setGroups } from './groups.ts'
import { changeOidc, complaintsAboutOidc, noOidc } from './oidc.ts'
import { setOwners } from './owners.ts'
import { insertProject } from './store.ts'
import { complaintsAboutWebhookUrl, noWebhookUrl, sealWebhookUrl } from './webhook-url.ts'

export interface CreateProject extends projects.CreateProject {
  readonly redirectUris?: readonly string[]
}

/**
 * Looks up the servers of a new project in its transaction; returns the problems with them, and a function that grants
 * them.
 */
export type PlanInitialAccess = (
  tx: Tx,
  wanted: projects.CreateProject['serverAccess'],
) => Promise<{
  readonly problems: readonly ProblemDetail[]
  readonly grant: (by: By, project: { id: string; name: string }) => Promise<void>
}>

/** Reads the inbound webhook to create with a project; returns the problems with it, and a function that creates it. */
export type PlanWebhook = (wanted: webhooks.CreateWebhook) => Promise<{
  readonly problems: readonly ProblemDetail[]
  readonly provision: (tx: Tx, projectId: string) => Promise<webhooks.CreatedInboundWebhook>
}>

interface CreatedProject {
  readonly id: string
  readonly apiKey: string
  readonly eventsSecret?: string
  readonly inboundWebhook?: webhooks.CreatedInboundWebhook
}

/** Registers a project with its first key, which is returned only this once and stored only as a digest. */
export async function createProject(
  {
    db,
    audit,
    config,
    planInitialAccess,
    planWebhook,
    forwardAuthRules,
  }: Pick<Deps, 'db' | 'audit' | 'config'> & {
    forwardAuthRules?: ForwardAuthRules
    planInitialAccess?: PlanInitialAccess
    planWebhook?: PlanWebhook
  },
  by: By,
  input: CreateProject,
): Promise<CreatedProject> {
  const id = uuidv7()
  const name = storedName(input.name)
  const webhook = input.inboundWebhook && (await planWebhook?.(input.inboundWebhook))
  return refuseTakenName(() =>
    db.transaction(async (tx) => {
      // Returns all problems of the request at once, before the name is checked.
      const access = await planInitialAccess?.(tx, input.serverAccess)
      const problems = [
        ...complaintsAboutWebhookUrl(config, input.webhookUrl),
        ...complaintsAboutEventsUrl(config, input.eventsUrl),
        ...(forwardAuthRules?.complaints(input.forwardAuth) ?? []),
        ...complaintsAboutOidc(config, input.oidc),
        ...(access?.problems ?? []),
        ...(webhook?.problems ?? []),
      ]
      if (problems.length > 0) throw invalid(problems)
      await insertProject(tx, {
        id,
        name,
        description: input.description ?? null,
        isActive: input.isActive ?? true,
        isInternal: input.isInternal ?? false,
        redirectUris: input.redirectUris ?? [],
        ...(input.webhookUrl ? sealWebhookUrl(config, id, input.webhookUrl) : noWebhookUrl),
      })
      const { secret: eventsSecret } = await setEventsUrl(config, tx, id, input.eventsUrl)
      await setOwners(tx, id, input.owners)
      await changeOidc(tx, config, { id, oidc: noOidc }, input.oidc)
      await setGroups(tx, id, input)
      const { apiKey } = await issueApiKey(tx, id)
      if (input.forwardAuth) await forwardAuthRules?.set(tx, id, input.forwardAuth)
      await access?.grant(by, { id, name })
      const inboundWebhook = await webhook?.provision(tx, id)
      await audit.record(tx, {
        ...by,
        actionType: 'project',
        action: 'project.create',
        target: { type: 'project', id, name },
        summary: `Project ${name} was created${inboundWebhook ? ' with an inbound webhook' : ''}.`,
      })
      return { id, apiKey, ...(eventsSecret && { eventsSecret }), ...(inboundWebhook && { inboundWebhook }) }
    }),
  )
}

/**
 * Converts a violation of the unique index on names. The index decides between concurrent requests, and the loser gets
 * PROJECT_NAME_TAKEN.
 */
export async function refuseTakenName<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    throw violates(error, 'projects_name_key') ? new ApiError('PROJECT_NAME_TAKEN', { cause: error }) : error
  }
}
