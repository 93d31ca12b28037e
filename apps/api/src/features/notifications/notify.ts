import type { RecordAudit } from '#audit/event'
import { uuidv7 } from '#platform/crypto/uuid'
import { noticeOf } from './notice.ts'
import { insertNotice } from './store.ts'

/**
 * Wraps the function that records audit events: it also queues the notice for each event, in the same transaction. So
 * no feature can forget a notice, and a change that is rolled back sends none. Notices are in the order of the audit
 * log, because its entries are written one after another.
 */
export const notifying =
  (record: RecordAudit): RecordAudit =>
  async (tx, recorded) => {
    await record(tx, recorded)
    for (const event of [recorded].flat()) {
      const notice = noticeOf(event)
      if (notice) await insertNotice(tx, { id: uuidv7(), ...notice })
    }
  }
