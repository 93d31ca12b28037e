import { hashedFields } from '#audit/entry'
import type { AuditRow } from '#audit/store'
import type { CsvColumn } from '#platform/csv'

const fields = [...hashedFields.filter((field) => field !== 'seq'), 'hash'] as const

/** The columns of the CSV export. `changes` is exported as JSON. */
export const auditColumns: readonly CsvColumn<AuditRow>[] = fields.map((field) => ({
  header: field,
  value: (row) => (field === 'changes' ? row.changes && JSON.stringify(row.changes) : row[field]),
}))
