import type { adminStream } from '@rolecall/contract'
import { type Change, maxChanges } from './store.ts'

/** Converts changes to events, at most one of each type. `more` is true if an event does not name all changed items. */
export function eventsOf(changes: readonly Change[]): adminStream.AdminEvent[] {
  const of = (kind: Change['kind']) => changes.filter((change) => change.kind === kind)
  const named = (kind: Change['kind']) => {
    const ids = [...new Set(of(kind).map(({ id }) => id))]
    return { ids: ids.slice(0, maxChanges - 1), more: of(kind).length >= maxChanges }
  }
  const [audit, members, sync, delivery] = [
    named('audit'),
    named('members'),
    named('sync'),
    named('delivery'),
  ]
  const serverIds = [...new Set(of('members').map(({ mark }) => mark))]
  return [
    ...(audit.ids.length > 0
      ? [{ type: 'audit.appended' as const, data: { entryIds: audit.ids, more: audit.more } }]
      : []),
    ...(members.ids.length > 0
      ? [
          {
            type: 'members.changed' as const,
            data: { serverIds, memberIds: members.ids, more: members.more },
          },
        ]
      : []),
    ...(sync.ids.length > 0
      ? [{ type: 'sync.changed' as const, data: { serverIds: sync.ids, more: sync.more } }]
      : []),
    ...(delivery.ids.length > 0
      ? [{ type: 'delivery.changed' as const, data: { projectIds: delivery.ids, more: delivery.more } }]
      : []),
  ]
}
