import type { AuditEntry, AuthFailure, MemberServers } from '@rolecall/sdk/admin'
import { Link } from '@tanstack/react-router'
import { useAnswer } from '../../api/queries.ts'
import { Status } from '../../components/chip.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Panel } from '../../components/page.tsx'
import { Answer, Empty } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { MemberPage } from './member-page.tsx'

export const Page = () => <MemberPage>{(member) => <Activity member={member} />}</MemberPage>

/** The most rows shown here. The audit and monitoring pages have the rest. */
const mostRows = 50
const tones = { info: 'none', warning: 'warn', error: 'bad' } as const

const entryColumns: readonly Column<AuditEntry>[] = [
  { header: 'When', cell: ({ at }) => <Time at={at} /> },
  { header: 'What', cell: ({ summary }) => <bdi>{summary}</bdi> },
  { header: 'By', cell: ({ actorUsername }) => <bdi>{actorUsername ?? 'The service'}</bdi> },
  {
    header: 'Weight',
    align: 'end',
    cell: ({ severity }) => <Status tone={tones[severity]}>{severity}</Status>,
  },
]

const failureColumns: readonly Column<AuthFailure>[] = [
  { header: 'When', cell: ({ at }) => <Time at={at} /> },
  { header: 'Why', cell: ({ kind, reason }) => `${kind}: ${reason.replaceAll('_', ' ')}` },
  { header: 'From', cell: ({ address }) => address ?? 'unknown' },
  { header: 'Where', cell: ({ path }) => <code>{path}</code> },
]

/** The member's actions as an administrator, actions on the member, and the member's rejected requests. */
function Activity({ member: { memberId } }: { member: MemberServers }) {
  const entries = useAnswer('listAuditLogs', { query: { memberId, limit: mostRows } })
  const failures = useAnswer('authFailures', { query: { memberId, limit: mostRows } })
  return (
    <div className="stack">
      <Panel
        title="In the audit log"
        note={`The newest ${mostRows} entries about them or by them.`}
        flush
        actions={
          <Link to="/audit" search={{ who: memberId }}>
            All of them
          </Link>
        }
      >
        <Answer of={entries}>
          {({ data }) => (
            <DataTable
              label="In the audit log"
              columns={entryColumns}
              rows={data}
              rowKey={({ id }) => id}
              empty={
                <Empty title="No entries">
                  They changed nothing, and nobody changed anything about them.
                </Empty>
              }
            />
          )}
        </Answer>
      </Panel>
      <Panel title="Turned away" note="Logins, sessions, codes and access of theirs that were refused." flush>
        <Answer of={failures}>
          {({ data }) => (
            <DataTable
              label="Turned away"
              columns={failureColumns}
              rows={data}
              rowKey={({ id }) => id}
              empty={
                <Empty title="No refusals">Nothing of theirs was refused in the time that is kept.</Empty>
              }
            />
          )}
        </Answer>
      </Panel>
    </div>
  )
}
