import type { MemberExportQuery } from '@rolecall/sdk/admin'
import { admin } from '../../api/admin.ts'
import { ExportButton } from '../../components/export-button.tsx'

/** A button that downloads the list of members as a CSV file. */
export const ExportMembers = ({ query }: { query: Omit<MemberExportQuery, 'format'> }) => (
  <ExportButton
    address={admin.address('exportMembers', { query: { ...query, format: 'csv' } })}
    fileName="members.csv"
  />
)
