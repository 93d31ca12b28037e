import type { notifications } from '@rolecall/contract'
import type { AuditEvent } from '#audit/event'
import type { ChatMessage } from '#chat/chat-webhook'

type Type = notifications.NotificationType

/** A message to a project's channel, in plain words. It never contains a secret. */
export interface Notice {
  readonly projectId: string
  readonly type: Type
  readonly text: string
}

/** The heading and tone of each message. */
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

/** The type of the notice for each audited action; other actions send none. */
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

/** Returns the notice for a recorded change, if there is one. */
export function noticeOf(event: AuditEvent): Notice | undefined {
  const type = types[event.action]?.(event)
  if (!type || event.target?.type !== 'project') return undefined
  const subject =
    type === 'project.deactivated' ? `Project ${event.target.name} was deactivated.` : event.summary
  const by = event.actor ? ` By ${event.actor.username}.` : ''
  return { projectId: event.target.id, type, text: subject + by }
}

/**
 * Sends a notice about a mapping only if it has `SEND_MESSAGES`. The removal of the mapping, or of this operation, is
 * the last change that is sent.
 */
const ifPostable = ({ changes = {} }: AuditEvent, type: Type) =>
  Object.values(changes).some(({ before, after }) => maySend(before) || maySend(after)) ? type : undefined

const maySend = (grant: unknown) =>
  (grant as { operations?: { SEND_MESSAGES?: unknown } } | null | undefined)?.operations?.SEND_MESSAGES ===
  true
