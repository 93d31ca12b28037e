import type { notifications } from '@rolecall/contract'
import type { AuditEvent } from '#audit/event'
import type { ChatMessage } from '#chat/chat-webhook'

type Type = notifications.NotificationType

/** A message to the Discord channel of a project about a change to the project. It never contains a secret. */
export interface Notice {
  readonly projectId: string
  readonly type: Type
  readonly text: string
}

/** The heading and the tone of each type of notice. */
export const headings: Readonly<Record<Type, Pick<ChatMessage, 'title' | 'tone'>>> = {
  'key.regenerated': { title: 'API key replaced', tone: 'warning' },
  'key.revoked': { title: 'API key revoked', tone: 'warning' },
  'key.restored': { title: 'API key restored', tone: 'good' },
  'key.added': { title: 'API key added', tone: 'neutral' },
  'key.ending': { title: 'API key ends soon', tone: 'warning' },
  'access.granted': { title: 'Server access granted', tone: 'good' },
  'access.updated': { title: 'Server access changed', tone: 'neutral' },
  'access.revoked': { title: 'Server access revoked', tone: 'warning' },
  'events.disabled': { title: 'Events switched off', tone: 'warning' },
  'project.deactivated': { title: 'Project deactivated', tone: 'warning' },
  'submission.received': { title: 'Submission received', tone: 'neutral' },
}

/** The type of the notice for each audited action. Other actions send no notice. */
const types: Readonly<Record<string, (event: AuditEvent) => Type | undefined>> = {
  'key.regenerate': () => 'key.regenerated',
  'key.revoke': () => 'key.revoked',
  'key.restore': () => 'key.restored',
  'key.add': () => 'key.added',
  'key.ending': () => 'key.ending',
  'events.disable': () => 'events.disabled',
  'access.grant': (event) => ifPostable(event, 'access.granted'),
  'access.update': (event) => ifPostable(event, 'access.updated'),
  'access.revoke': (event) => ifPostable(event, 'access.revoked'),
  'project.update': ({ changes }) =>
    changes?.['isActive']?.after === false ? 'project.deactivated' : undefined,
}

/** Returns the notice for an audit event, or undefined if the event sends none. */
export function noticeOf(event: AuditEvent): Notice | undefined {
  const type = types[event.action]?.(event)
  if (!type || event.target?.type !== 'project') return undefined
  const subject =
    type === 'project.deactivated' ? `Project ${event.target.name} was deactivated.` : event.summary
  const by = event.actor ? ` By ${event.actor.username}.` : ''
  return { projectId: event.target.id, type, text: subject + by }
}

/**
 * Returns the type if the access to the server includes `SEND_MESSAGES` before or after the change. So the last notice
 * about a server reports the removal of this operation or of the access itself.
 */
const ifPostable = ({ changes = {} }: AuditEvent, type: Type) =>
  Object.values(changes).some(({ before, after }) => maySend(before) || maySend(after)) ? type : undefined

const maySend = (grant: unknown) =>
  (grant as { operations?: { SEND_MESSAGES?: unknown } } | null | undefined)?.operations?.SEND_MESSAGES ===
  true
