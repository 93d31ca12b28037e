import type { audit } from '@rolecall/contract'
import { type AuditRow, countEntries, listEntries, selectEntryPage } from '#audit/store'
import type { Deps } from '../../deps.ts'
import { auditCondition, cursorAfter } from './filters.ts'

/**
 * Lists one page of the audit log, newest first, with the total. With a cursor, the total is null, because counting is
 * slow.
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

/** Streams the matching entries for an export, newest first, 100 at a time. */
export function streamAuditEntries({ db }: Pick<Deps, 'db'>, query: audit.AuditExportQuery) {
  const { limit, offset } = pageOf(query)
  return db.stream<AuditRow>(selectEntryPage(auditCondition(query), limit, offset), 100)
}

/**
 * Returns the limit and offset. Validation has filled in the defaults, which are repeated only for the type checker.
 */
const pageOf = ({ limit = 50, offset = 0 }: audit.AuditExportQuery) => ({ limit, offset })

const toEntry = ({ seq: _, ...row }: AuditRow) => ({ ...row, at: row.at.toISOString() }) as audit.AuditEntry
