import { type ProblemDetail, type projects, storedName, type webhooks } from '@rolecall/contract'
import type { By } from '#audit/event'
import { uuidv7 } from '#platform/crypto/uuid'
import type { Tx } from '#platform/db/database'
import { invalid } from '#platform/http/check-request'
import { refuseTaken } from '../../checks/refuse-taken.ts'
import type { Deps } from '../../deps.ts'
import { issueApiKey } from './api-key.ts'
import { complaintsAboutEventsUrl, setEventsUrl } from './events-address.ts'
import type { ForwardAuthRules } from './forward-auth-rules.ts'
import { setGroups } from './groups.ts'
import { changeOidc, complaintsAboutOidc, noOidc } from './oidc.ts'
import { setOwners } from './owners.ts'
import { insertProject } from './store.ts'
import { complaintsAboutWebhookUrl, noWebhookUrl, sealWebhookUrl } from './webhook-url.ts'

/** The project to create. The command line can also set its redirect URIs. */
export interface CreateProject extends projects.CreateProject {
  readonly redirectUris?: readonly string[]
}

/**
 * Prepares the access of a new project to servers, in the project's transaction. Returns the problems of the input, and
 * a function that grants the access.
 */
export type PlanInitialAccess = (
  tx: Tx,
  wanted: projects.CreateProject['serverAccess'],
) => Promise<{
  readonly problems: readonly ProblemDetail[]
  readonly grant: (by: By, project: { id: string; name: string }) => Promise<void>
}>

/**
 * Prepares the inbound webhook that is created together with a project. Returns the problems of the input, and a
 * function that creates the webhook.
 */
export type PlanWebhook = (wanted: webhooks.CreateWebhook) => Promise<{
  readonly problems: readonly ProblemDetail[]
  readonly provision: (tx: Tx, projectId: string) => Promise<webhooks.CreatedInboundWebhook>
}>

/** A new project, with all of its secrets in plain text. */
interface CreatedProject {
  readonly id: string
  readonly apiKey: string
  readonly eventsSecret?: string
  readonly inboundWebhook?: webhooks.CreatedInboundWebhook
}

/**
 * Creates a project with its first API key and everything else that the request names, in one transaction. The key and
 * the other secrets are in the response, and cannot be read again.
 *
 * @throws PROJECT_NAME_TAKEN, ENCRYPTION_KEY_MISSING, HOST_TAKEN, RESOURCE_TAKEN, VALIDATION_FAILED with all problems
 */
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
      // All problems of the request are returned together, before the name is checked.
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

/** Runs a change of a project. Refuses a name that another project has with PROJECT_NAME_TAKEN. */
export const refuseTakenName = <T>(write: () => Promise<T>): Promise<T> =>
  refuseTaken(
    {
      index: 'projects_name_key',
      code: 'PROJECT_NAME_TAKEN',
      path: '/name',
      message: 'is already used by another project. Project names are not case-sensitive',
    },
    write,
  )
