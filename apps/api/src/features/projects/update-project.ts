import type { projects } from '@rolecall/contract'
import { ApiError } from '#platform/http/api-error'
import { invalid } from '#platform/http/router'
import type { Config } from '../../config.ts'
import type { By, Deps } from '../../deps.ts'
import { refuseTakenName } from './create-project.ts'
import { type LockedProject, lockProject, type ProjectFields, writeProject } from './store.ts'
import { complaintAboutWebhookUrl, masked, openWebhookUrl, originOf, sealWebhookUrl } from './webhook-url.ts'

/** Changes what the patch names, and nothing else; a patch that changes nothing writes nothing. */
export async function updateProject(
  { db, audit, config }: Pick<Deps, 'db' | 'audit' | 'config'>,
  by: By,
  id: string,
  { webhookUrl, ...fields }: projects.UpdateProject,
): Promise<void> {
  const complaint = webhookUrl && complaintAboutWebhookUrl(config.chatApiUrl, webhookUrl)
  if (complaint) throw invalid([complaint])
  await db
    .transaction(async (tx) => {
      const before = await lockProject(tx, id)
      if (!before) throw new ApiError('PROJECT_NOT_FOUND')
      const after: LockedProject = { ...before, ...fields, ...webhookFields(config, before, webhookUrl) }
      const changes = changesBetween(before, after)
      if (Object.keys(changes).length === 0) return
      await writeProject(tx, id, after)
      await audit.record(tx, {
        ...by,
        actionType: 'project',
        action: 'project.update',
        target: { type: 'project', id, name: after.name },
        summary: `Project ${after.name} was changed: ${Object.keys(changes).join(', ')}.`,
        changes,
      })
    })
    .catch(refuseTakenName)
}

type WebhookFields = Pick<ProjectFields, 'webhookUrlOrigin' | 'webhookUrlSealed'>

/** The same address again is no change. One that cannot be read any more is replaced by whatever is sent. */
function webhookFields(
  config: Config,
  { id, webhookUrlSealed }: LockedProject,
  webhookUrl: projects.UpdateProject['webhookUrl'],
): Partial<WebhookFields> {
  if (webhookUrl === undefined) return {}
  if (webhookUrl === null) return { webhookUrlOrigin: null, webhookUrlSealed: null }
  const isSame = webhookUrlSealed && openWebhookUrl(config, id, webhookUrlSealed) === webhookUrl
  if (isSame) return {}
  return { webhookUrlOrigin: originOf(webhookUrl), webhookUrlSealed: sealWebhookUrl(config, id, webhookUrl) }
}

/** Before and after of each field that differs. Of a webhook address only what may be shown. */
function changesBetween(before: LockedProject, after: LockedProject) {
  const changes: Record<string, { before: unknown; after: unknown }> = {}
  for (const field of ['name', 'description', 'isActive', 'isInternal'] as const) {
    if (before[field] !== after[field]) changes[field] = { before: before[field], after: after[field] }
  }
  if (before.webhookUrlSealed !== after.webhookUrlSealed) {
    changes['webhookUrl'] = {
      before: masked(before.webhookUrlOrigin),
      after: masked(after.webhookUrlOrigin),
    }
  }
  return changes
}
