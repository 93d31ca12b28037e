import { demo } from '@rolecall/chat-sim'
import { regenerateApiKey } from '../src/features/projects/api-key.ts'
import { sql } from '../src/platform/db/sql.ts'
import { type GivenProject, givenProject } from './given.ts'
import type { World } from './service.ts'

/** A project that sends notifications to a webhook of its own at the simulated platform. */
export interface GivenChannel extends GivenProject {
  readonly webhookId: string
  readonly webhookUrl: string
}

export async function givenChannel(
  world: World,
  input: Parameters<typeof givenProject>[1] = {},
): Promise<GivenChannel> {
  const { id: webhookId, token } = world.sim.world.addWebhook(demo.mainGuildId)
  const webhookUrl = `${world.sim.apiUrl}/webhooks/${webhookId}/${token}`
  return { ...(await givenProject(world, { webhookUrl, ...input })), webhookId, webhookUrl }
}

/** Makes `count` changes that cause notifications, one after another. */
export async function replaceKey({ service: { deps } }: World, project: GivenProject, times = 1) {
  for (let i = 0; i < times; i++) await regenerateApiKey(deps, {}, project.id)
}

/** Makes the same changes in one transaction, so that their notifications appear together, even on a busy machine. */
export const replaceKeyAtOnce = ({ service: { deps } }: World, project: GivenProject, times: number) =>
  deps.db.transaction(async (tx) => {
    const db: typeof deps.db = { ...deps.db, transaction: (work) => work(tx) }
    for (let i = 0; i < times; i++) await regenerateApiKey({ ...deps, db }, {}, project.id)
  })

/** Returns the messages at a project's webhook, in the order of arrival. */
export const arrived = ({ sim }: World, { webhookId }: GivenChannel) =>
  sim.inbox.messages(webhookId).flatMap(({ body }) => body.embeds ?? [])

/** Returns the IDs in the messages, in the order of arrival. */
export const arrivedIds = (world: World, channel: GivenChannel) =>
  arrived(world, channel).map(({ footer }) => footer?.text.split(' · ').at(-1))

/** Returns the IDs of a project's notifications in the order in which they were written. */
export const writtenIds = async ({ service: { deps } }: World, { id }: GivenProject) =>
  (
    await deps.db.query<{ id: string }>(
      sql`select id from deliveries where kind = 'notice' and project_id = ${id} order by created_at, place`,
    )
  ).map((row) => row.id)

/** Returns the audit entries about notifications of a project. */
export const webhookEntries = ({ service: { deps } }: World, { id }: GivenProject) =>
  deps.db.query<{ action: string; severity: string; summary: string }>(sql`
    select action, severity, summary from audit_log
    where action_type = 'webhook' and target_id = ${id} order by seq`)

/** Returns the number of requests to a project's webhook, including failed ones. */
export const timesAsked = ({ sim }: World, { webhookId }: GivenChannel) =>
  sim.journal.entries('webhook').filter(({ path }) => path.includes(webhookId)).length

/** Returns the results of a project's notifications, in order. */
export const fatesOf = ({ service: { deps } }: World, { id }: GivenProject) =>
  deps.db.query<{ attempts: number; status: number | null; error: string | null; isOver: boolean }>(sql`
    select attempts, last_status as status, last_error as error, failed_at is not null as "isOver"
    from deliveries where kind = 'notice' and project_id = ${id} order by place`)
