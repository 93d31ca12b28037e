import type { audit } from '@rolecall/contract'
import { type AuditRow, countEntries, listEntries, pageOfEntries } from '#audit/store'
import type { Deps } from '../../deps.ts'
import { auditCondition, cursorAfter } from './filters.ts'

/** One page of the log, newest first, and how many entries there are in all: not with a cursor, which need not be slow. */
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

/** The same entries in the same order, as pages of a stream. */
export function streamAuditEntries({ db }: Pick<Deps, 'db'>, query: audit.AuditExportQuery) {
  const { limit, offset } = pageOf(query)
  return db.stream<AuditRow>(pageOfEntries(auditCondition(query), limit, offset), 100)
}

/** The contract's defaults, said again for the type: validation has filled them in. */
const pageOf = ({ limit = 50, offset = 0 }: audit.AuditExportQuery) => ({ limit, offset })

const toEntry = ({ seq: _, ...row }: AuditRow) => ({ ...row, at: row.at.toISOString() }) as audit.AuditEntry
