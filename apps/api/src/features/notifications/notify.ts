import type { RecordAudit } from '#audit/event'
import { uuidv7 } from '#platform/crypto/uuid'
import { noticeOf } from './notice.ts'
import { insertNotification } from './store.ts'

/**
 * Records like `record`, and writes the notification that follows from the event into the same transaction:
 * whoever records a change cannot forget to tell of it, and no change is told of that did not happen.
 * `notified` is called after the commit. The audit chain puts all writers in order, and so their messages.
 */
export const notifying =
  (record: RecordAudit, notified: () => void): RecordAudit =>
  async (tx, recorded) => {
    await record(tx, recorded)
    for (const event of [recorded].flat()) {
      const notice = noticeOf(event)
      if (notice && (await insertNotification(tx, { id: uuidv7(), ...notice })) > 0) tx.afterCommit(notified)
    }
  }
