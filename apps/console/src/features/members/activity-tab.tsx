import type { AuditEntry, AuthFailure, MemberServers } from '@rolecall/sdk/admin'
import { Link } from '@tanstack/react-router'
import { useApiQuery } from '../../api/queries.ts'
import { Status } from '../../components/chip.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Panel } from '../../components/page.tsx'
import { Empty, QueryResult } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { MemberPage } from './member-page.tsx'

/** The tab with what a member has done, and what was done to them. */
export const Page = () => <MemberPage>{(member) => <Activity member={member} />}</MemberPage>

/** The maximum number of rows. The pages Audit log and Monitoring have the rest. */
const maxRows = 50
const tones = { info: 'none', warning: 'warn', error: 'bad' } as const

const entryColumns: readonly Column<AuditEntry>[] = [
  { header: 'When', cell: ({ at }) => <Time at={at} /> },
  { header: 'What', cell: ({ summary }) => <bdi>{summary}</bdi> },
  { header: 'By', cell: ({ actorUsername }) => <bdi>{actorUsername ?? 'The service'}</bdi> },
  {
    header: 'Severity',
    align: 'end',
    cell: ({ severity }) => <Status tone={tones[severity]}>{severity}</Status>,
  },
]

const failureColumns: readonly Column<AuthFailure>[] = [
  { header: 'When', cell: ({ at }) => <Time at={at} /> },
  { header: 'Reason', cell: ({ kind, reason }) => `${kind}: ${reason.replaceAll('_', ' ')}` },
  { header: 'Address', cell: ({ address }) => address ?? 'unknown' },
  { header: 'Path', cell: ({ path }) => <code>{path}</code> },
]

/** The member's actions as an administrator, actions on the member, and the member's rejected requests. */
function Activity({ member: { memberId } }: { member: MemberServers }) {
  const entries = useApiQuery('listAuditLogs', { query: { memberId, limit: maxRows } })
  const failures = useApiQuery('authFailures', { query: { memberId, limit: maxRows } })
  return (
    <div className="stack">
      <Panel
        title="Audit log"
        note={`The newest ${maxRows} entries about or by this member.`}
        flush
        actions={
          <Link to="/audit" search={{ who: memberId }}>
            All entries
          </Link>
        }
      >
        <QueryResult of={entries}>
          {({ data }) => (
            <DataTable
              label="Audit log"
              columns={entryColumns}
              rows={data}
              rowKey={({ id }) => id}
              empty={
                <Empty title="No entries">
                  This member has made no changes, and no changes were made to them.
                </Empty>
              }
            />
          )}
        </QueryResult>
      </Panel>
      <Panel
        title="Rejected requests"
        note="Rejected sign-ins, sessions, codes, and access of this member."
        flush
      >
        <QueryResult of={failures}>
          {({ data }) => (
            <DataTable
              label="Rejected requests"
              columns={failureColumns}
              rows={data}
              rowKey={({ id }) => id}
              empty={<Empty title="No rejected requests">None are recorded for this member.</Empty>}
            />
          )}
        </QueryResult>
      </Panel>
    </div>
  )
}
