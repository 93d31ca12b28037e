import type { Project } from '@rolecall/sdk/admin'
import { Link } from '@tanstack/react-router'
import { useApiQuery } from '../../api/queries.ts'
import { CursorPager } from '../../components/cursor-pager.tsx'
import { DataTable } from '../../components/data-table.tsx'
import { Panel } from '../../components/page.tsx'
import { Empty, QueryResult } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { useFilters } from '../../components/use-filters.ts'
import { useMayRead } from '../../shell/profile.ts'
import { ProjectPage } from './project-page.tsx'

/** The tab with the audit log of a project. */
export const Page = () => <ProjectPage>{(project) => <Audit project={project} />}</ProjectPage>

/** The entries of the audit log about a project. Only System Admins and auditors can read them. */
const Audit = ({ project }: { project: Project }) =>
  useMayRead() ? (
    <Entries project={project} />
  ) : (
    <Panel>
      <Empty title="The audit log is for System Admins">Ask one of them who changed what.</Empty>
    </Panel>
  )

function Entries({ project }: { project: Project }) {
  const [{ cursor }] = useFilters()
  const entries = useApiQuery('listAuditLogs', { query: { targetId: project.id, cursor, limit: 50 } })
  return (
    <Panel
      title="Changes to this project"
      flush
      actions={
        <Link to="/audit" search={{ about: project.id }}>
          Open the audit log
        </Link>
      }
    >
      <QueryResult of={entries}>
        {({ data, nextCursor }) => (
          <>
            <DataTable
              label="Changes to this project"
              rows={data}
              rowKey={({ id }) => id}
              columns={[
                {
                  header: 'What',
                  cell: ({ summary, action }) => (
                    <>
                      <bdi>{summary}</bdi>
                      <span className="cell-sub mono">{action}</span>
                    </>
                  ),
                },
                { header: 'Who', cell: ({ actorUsername }) => <bdi>{actorUsername ?? 'Rolecall'}</bdi> },
                { header: 'When', cell: ({ at }) => <Time at={at} />, align: 'end' },
              ]}
              empty={<Empty title="No changes yet">Changes will appear here.</Empty>}
            />
            <CursorPager next={nextCursor} />
          </>
        )}
      </QueryResult>
    </Panel>
  )
}
