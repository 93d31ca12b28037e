import type { ProblemDetail } from '@rolecall/contract'
import { uuidv7 } from '#platform/crypto/uuid'
import { type Tx, violates } from '#platform/db/database'
import { ApiError } from '#platform/http/api-error'
import { invalid } from '#platform/http/router'
import type { By, Deps } from '../../deps.ts'
import { issueApiKey } from './api-key.ts'
import { insertProject } from './store.ts'
import { complaintAboutWebhookUrl, originOf, sealWebhookUrl } from './webhook-url.ts'

/** One server that a project starts with. */
export interface InitialAccess {
  readonly serverId: string
  readonly scopes?: readonly ('read_members' | 'check_permissions')[]
}

/** What is wrong with the servers that a new project should have, and how to map it to them. */
export interface InitialAccessPlan {
  readonly problems: readonly ProblemDetail[]
  readonly grant: (by: By, project: { readonly id: string; readonly name: string }) => Promise<void>
}

/** Looks up the servers of a new project, in its transaction: every main server when none are named. */
export type PlanInitialAccess = (
  tx: Tx,
  wanted: readonly InitialAccess[] | undefined,
) => Promise<InitialAccessPlan>

export interface CreateProject {
  readonly name: string
  readonly description?: string | null
  readonly isActive?: boolean
  readonly isInternal?: boolean
  readonly redirectUris?: readonly string[]
  readonly serverAccess?: readonly InitialAccess[]
  readonly webhookUrl?: string
  readonly inboundWebhook?: unknown
}

/** Without `planInitialAccess`, which `app.ts` passes, the project starts with no server. */
type CreateDeps = Pick<Deps, 'db' | 'audit' | 'config'> & { readonly planInitialAccess?: PlanInitialAccess }

/** Registers a project with its first key, which is answered this once and stored only as a digest. */
export async function createProject(
  { db, audit, config, planInitialAccess }: CreateDeps,
  by: By,
  input: CreateProject,
): Promise<{ id: string; apiKey: string }> {
  const id = uuidv7()
  const { name, webhookUrl } = input
  const create = async (tx: Tx) => {
    const access = await planInitialAccess?.(tx, input.serverAccess)
    const problems = [...complaints(config.chatApiUrl, input), ...(access?.problems ?? [])]
    if (problems.length > 0) throw invalid(problems)
    await insertProject(tx, {
      id,
      name,
      description: input.description ?? null,
      isActive: input.isActive ?? true,
      isInternal: input.isInternal ?? false,
      redirectUris: input.redirectUris ?? [],
      webhookUrlOrigin: webhookUrl === undefined ? null : originOf(webhookUrl),
      webhookUrlSealed: webhookUrl === undefined ? null : sealWebhookUrl(config, id, webhookUrl),
    })
    await access?.grant(by, { id, name })
    const { apiKey } = await issueApiKey(tx, id)
    await audit.record(tx, {
      ...by,
      actionType: 'project',
      action: 'project.create',
      target: { type: 'project', id, name },
      summary: `Project ${name} was created.`,
    })
    return { id, apiKey }
  }
  return db.transaction(create).catch(refuseTakenName)
}

function complaints(chatApiUrl: string, { webhookUrl, inboundWebhook }: CreateProject): ProblemDetail[] {
  const complaint = webhookUrl === undefined ? undefined : complaintAboutWebhookUrl(chatApiUrl, webhookUrl)
  return [
    ...(complaint ? [complaint] : []),
    ...(inboundWebhook === undefined
      ? []
      : [
          {
            path: '/inboundWebhook',
            message: 'cannot be provisioned with a project yet',
            code: 'NOT_SUPPORTED',
          },
        ]),
  ]
}

/** The database decides whose name it is: of two that race one meets the other's row. */
export function refuseTakenName(error: unknown): never {
  throw violates(error, 'projects_name') ? new ApiError('PROJECT_NAME_TAKEN', { cause: error }) : error
}
