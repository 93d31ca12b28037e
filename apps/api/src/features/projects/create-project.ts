import type { projects, webhooks } from '@rolecall/contract'
import { uuidv7 } from '#platform/crypto/uuid'
import { type Tx, violates } from '#platform/db/database'
import { ApiError } from '#platform/http/api-error'
import type { By, Deps } from '../../deps.ts'
import { issueApiKey } from './api-key.ts'
import { insertProject } from './store.ts'
import { noWebhookUrl, sealWebhookUrl } from './webhook-url.ts'

export interface CreateProject extends projects.CreateProject {
  readonly redirectUris?: readonly string[]
}

/** Gives a new project its first access, in the same transaction. */
export type GrantInitial = (
  tx: Tx,
  by: By,
  project: { id: string; name: string },
  wanted: projects.CreateProject['serverAccess'],
) => Promise<void>

/** Makes the inbound webhook that a new project asks for, in the same transaction. */
export type ProvisionWebhook = (
  tx: Tx,
  projectId: string,
  wanted: webhooks.CreateWebhook,
) => Promise<webhooks.CreatedInboundWebhook>

/** Registers a project with its first key, which is answered this once and stored only as a digest. */
export async function createProject(
  {
    db,
    audit,
    config,
    grantInitial,
    provisionWebhook,
  }: Pick<Deps, 'db' | 'audit' | 'config'> & {
    grantInitial?: GrantInitial
    provisionWebhook?: ProvisionWebhook
  },
  by: By,
  input: CreateProject,
): Promise<{ id: string; apiKey: string; inboundWebhook?: webhooks.CreatedInboundWebhook }> {
  const id = uuidv7()
  const webhookUrl = input.webhookUrl ? sealWebhookUrl(config, id, input.webhookUrl) : noWebhookUrl
  return refuseTakenName(() =>
    db.transaction(async (tx) => {
      await insertProject(tx, {
        id,
        name: input.name,
        description: input.description ?? null,
        isActive: input.isActive ?? true,
        isInternal: input.isInternal ?? false,
        redirectUris: input.redirectUris ?? [],
        ...webhookUrl,
      })
      const { apiKey } = await issueApiKey(tx, id)
      await grantInitial?.(tx, by, { id, name: input.name }, input.serverAccess)
      const inboundWebhook = input.inboundWebhook && (await provisionWebhook?.(tx, id, input.inboundWebhook))
      await audit.record(tx, {
        ...by,
        actionType: 'project',
        action: 'project.create',
        target: { type: 'project', id, name: input.name },
        summary: `Project ${input.name} was created${inboundWebhook ? ' with an inbound webhook' : ''}.`,
      })
      return { id, apiKey, ...(inboundWebhook && { inboundWebhook }) }
    }),
  )
}

/** The database decides whose name it is; whoever loses the race hears that it is taken. */
export async function refuseTakenName<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    throw violates(error, 'projects_name') ? new ApiError('PROJECT_NAME_TAKEN', { cause: error }) : error
  }
}
