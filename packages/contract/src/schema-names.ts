import * as access from './access.ts'
import * as chatServers from './chat-servers.ts'
import { contractExports } from './contract.ts'
import type { Schema } from './json-schema.ts'
import * as memberLists from './member-lists.ts'
import * as notifications from './notifications.ts'
import { Problem, ProblemDetail } from './problem.ts'
import * as sessions from './sessions.ts'
import * as settings from './settings.ts'
import * as webhooks from './webhooks.ts'

/** The names of schemas that have a different name in the modules, or none because only an endpoint contains them. */
const given: Readonly<Record<string, unknown>> = {
  Problem,
  ProblemDetail,
  Server: chatServers.ChatServer,
  ServerAccess: access.AccessMapping,
  ServerAccessList: access.accessMatrix.answers[200],
  Session: sessions.SessionListItem,
  MemberList: memberLists.listMembers.answers[200],
  NotificationDelivery: notifications.resendDelivery.answers[202],
  Settings: settings.getSettings.answers[200],
  InboundWebhookList: webhooks.listWebhooks.answers[200],
  NewInboundWebhook: webhooks.createWebhook.body,
  InboundWebhookChanges: webhooks.updateWebhook.body,
  NewSecret: webhooks.rotateSecret.answers[200],
  SubmissionList: webhooks.listSubmissions.answers[200],
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && ('type' in value || 'anyOf' in value)

/**
 * Returns a key that is the same for schemas with equal content. Options such as "optional" create copies of a schema.
 */
const keyOf = (schema: unknown) => JSON.stringify(schema)

/** The name of each schema. If a schema has several names, the first one counts. */
const names = new Map(
  [...Object.entries(given), ...contractExports.filter(([, value]) => isSchema(value))]
    .map(([name, schema]) => [keyOf(schema), name] as const)
    .reverse(),
)

/**
 * Returns the name of a schema in the document: from the table above, or else the name of its export, e.g. `Member`.
 */
export const schemaNameOf = (schema: Schema): string | undefined => names.get(keyOf(schema))
