import type { audit } from '@rolecall/contract'
import { type AuditRow, countEntries, listEntries, pageOfEntries } from '#audit/store'
import type { Deps } from '../../deps.ts'
import { auditCondition, cursorAfter } from './filters.ts'

/**
 * Lists one page of the log, newest first, with the total. With a cursor the total is null, so that the request stays
 * fast.
 */
export async function listAuditEntries({ db }: Pick<Deps, 'db'>, query: audit.AuditQuery) {
  const condition = auditCondition(query)
  const { limit, offset } = pageOf(query)
  const [rows, total] = await Promise.all([
    listEntries(db, condition, limit, offset),
    query.cursor === undefined ? countEntries(db, condition) : null,
  ])
  const last = rows.length === limit ? rows.at(-1) : undefined
  return { data: rows.map(toEntry), total, limit, offset, nextCursor: last ? cursorAfter(last) : null }
}

/** Streams the same entries in the same order, page by page. */
export function streamAuditEntries({ db }: Pick<Deps, 'db'>, query: audit.AuditExportQuery) {
  const { limit, offset } = pageOf(query)
  return db.stream<AuditRow>(pageOfEntries(auditCondition(query), limit, offset), 100)
}

/** Repeats the contract's defaults for the type: validation has filled them in. */
const pageOf = ({ limit = 50, offset = 0 }: audit.AuditExportQuery) => ({ limit, offset })

const toEntry = ({ seq: _, ...row }: AuditRow) => ({ ...row, at: row.at.toISOString() }) as audit.AuditEntry
