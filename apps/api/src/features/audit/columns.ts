import type { AuditRow } from '#audit/store'
import type { CsvColumn } from '#platform/csv'

const fields = [
  'id',
  'at',
  'actorId',
  'actorUsername',
  'actionType',
  'action',
  'severity',
  'targetType',
  'targetId',
  'targetName',
  'summary',
  'changes',
  'ip',
  'requestId',
  'hash',
] as const satisfies readonly (keyof AuditRow)[]

/** The columns of the CSV export. `changes` is exported as JSON. */
export const auditColumns: readonly CsvColumn<AuditRow>[] = fields.map((field) => ({
  header: field,
  value: (row) => (field === 'changes' ? row.changes && JSON.stringify(row.changes) : row[field]),
}))
