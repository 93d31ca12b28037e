import type { AuditEvent } from '#audit/event'
import type { Deps } from '../../deps.ts'
import { type EndingKey, endExpiredKeys, takeEndingKeys } from './key-store.ts'

/**
 * Announces the API keys that expire soon, by an audit entry, which also sends a notice. Stores the end of keys that
 * have expired. Every instance runs this once a minute.
 */
export const endKeys = ({ db, audit }: Pick<Deps, 'db' | 'audit'>) =>
  db.transaction(async (tx) => {
    await endExpiredKeys(tx)
    const ending = await takeEndingKeys(tx)
    if (ending.length > 0) await audit.record(tx, ending.map(toEvent))
  })

const toEvent = (key: EndingKey): AuditEvent => ({
  actionType: 'project',
  action: 'key.ending',
  severity: 'warning',
  target: { type: 'project', id: key.projectId, name: key.projectName },
  summary:
    `The ${key.isReplaced ? 'replaced ' : ''}API key ${key.prefix} of ${key.projectName} expires at ` +
    `${key.endsAt.toISOString()}${key.isReplaced ? `. Uses since it was replaced: ${key.usesSinceReplaced}` : ''}.`,
})
