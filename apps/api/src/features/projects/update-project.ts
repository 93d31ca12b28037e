import { type projects, storedName } from '@rolecall/contract'
import type { By } from '#audit/event'
import { invalid } from '#platform/http/check-request'
import type { Deps } from '../../deps.ts'
import { changeProject } from './change-project.ts'
import { refuseTakenName } from './create-project.ts'
import { complaintsAboutEventsUrl, setEventsUrl } from './events-address.ts'
import type { ForwardAuthRules } from './forward-auth-rules.ts'
import { setGroups } from './groups.ts'
import { deleteLogo } from './logo-store.ts'
import { changeOidc, complaintsAboutOidc } from './oidc.ts'
import { setOwners } from './owners.ts'
import { markDeleted, type ProjectRow, updateProject as storeProject } from './store.ts'
import { complaintsAboutWebhookUrl, isStoredWebhookUrl, noWebhookUrl, sealWebhookUrl } from './webhook-url.ts'

type ProjectDeps = Pick<Deps, 'db' | 'audit' | 'config'>
type UpdateDeps = ProjectDeps & Pick<Deps, 'endSessions'> & { readonly forwardAuthRules?: ForwardAuthRules }
type Changes = Record<string, { before: unknown; after: unknown }>

/**
 * Changes the given fields of a project. The audit entry lists only the fields whose values changed. Without changes,
 * there is no audit entry. Returns the signing secret if the project gets its first address for events.
 *
 * @throws PROJECT_NOT_FOUND, PROJECT_NAME_TAKEN, ENCRYPTION_KEY_MISSING, HOST_TAKEN, RESOURCE_TAKEN, VALIDATION_FAILED
 * with all problems
 */
export async function updateProject(
  deps: UpdateDeps,
  by: By,
  id: string,
  input: projects.UpdateProject,
): Promise<{ eventsSecret?: string }> {
  const problems = [
    ...complaintsAboutWebhookUrl(deps.config, input.webhookUrl),
    ...complaintsAboutEventsUrl(deps.config, input.eventsUrl),
    ...(deps.forwardAuthRules?.complaints(input.forwardAuth) ?? []),
    ...complaintsAboutOidc(deps.config, input.oidc),
  ]
  if (problems.length > 0) throw invalid(problems)
  return refuseTakenName(() =>
    changeProject(deps, id, async (tx, project, record) => {
      const webhook = nextWebhookUrl(deps, project, input.webhookUrl)
      const next = {
        name: input.name === undefined ? project.name : storedName(input.name),
        description: input.description === undefined ? project.description : input.description,
        isActive: input.isActive ?? project.isActive,
        isInternal: input.isInternal ?? project.isInternal,
        accentColor: nextColor(project.accentColor, input.branding),
      }
      const events = await setEventsUrl(deps.config, tx, id, input.eventsUrl)
      const rule = input.forwardAuth && (await deps.forwardAuthRules?.set(tx, id, input.forwardAuth))
      const oidc = await changeOidc(tx, deps.config, project, input.oidc)
      const hosts = input.oidc?.clientHosts
      if (hosts) await deps.endSessions.ofOtherHosts(tx, id, hosts)
      const changes: Changes = {
        ...differences(project, next),
        ...webhook.changes,
        ...events.changes,
        ...oidc,
        ...(rule && { forwardAuth: rule }),
        ...(await setGroups(tx, id, input, project)),
        ...(await setOwners(tx, id, input.owners, project.owners)),
      }
      if (Object.keys(changes).length === 0) return {}
      await storeProject(tx, { id, ...next, ...webhook.stored })
      const summary = `Project ${next.name} was changed: ${Object.keys(changes).join(', ')}.`
      await record({ ...by, action: 'project.update', summary, changes })
      return events.secret ? { eventsSecret: events.secret } : {}
    }),
  )
}

/** Returns the color to store. It is in lower case, so that the same color in upper case is no change. */
const nextColor = (before: string | null, given: projects.UpdateProject['branding']) =>
  given?.accentColor === undefined ? before : (given.accentColor?.toLowerCase() ?? null)

function differences(project: ProjectRow, next: Partial<ProjectRow>): Changes {
  const changed = Object.entries(next).filter(
    ([field, after]) => project[field as keyof ProjectRow] !== after,
  )
  return Object.fromEntries(
    changed.map(([field, after]) => [field, { before: project[field as keyof ProjectRow], after }]),
  )
}

/** Returns the webhook address to store, and the change for the audit entry, which contains only the hosts. */
function nextWebhookUrl({ config }: ProjectDeps, project: ProjectRow, wanted: string | null | undefined) {
  if (wanted === undefined || isStoredWebhookUrl(config, project.id, project, wanted)) {
    const { webhookUrlSealed, webhookUrlHost } = project
    return { stored: { webhookUrlSealed, webhookUrlHost }, changes: {} }
  }
  const stored = wanted === null ? noWebhookUrl : sealWebhookUrl(config, project.id, wanted)
  const changes = { webhookUrl: { before: project.webhookUrlHost, after: stored.webhookUrlHost } }
  return { stored, changes }
}

/**
 * Deletes a project. Its keys and sessions become invalid when the transaction commits. The row is kept, for the audit
 * log and other records.
 *
 * @throws PROJECT_NOT_FOUND
 */
export const deleteProject = (deps: ProjectDeps, by: By, id: string) =>
  changeProject(deps, id, async (tx, project, record) => {
    await markDeleted(tx, id)
    await deleteLogo(tx, id)
    await record({ ...by, action: 'project.delete', summary: `Project ${project.name} was deleted.` })
  })
