import type { ListedWebhook } from '@rolecall/sdk/admin'
import { useApiQuery } from '../../api/queries.ts'
import { Status } from '../../components/chip.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { countText, Num } from '../../components/number.tsx'
import { Page as PageFrame } from '../../components/page.tsx'
import { Pager } from '../../components/pager.tsx'
import { SearchField } from '../../components/search-field.tsx'
import { Empty, QueryResult } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { useFilters } from '../../components/use-filters.ts'

const perPage = 50

const columns: readonly Column<ListedWebhook>[] = [
  {
    header: 'Webhook',
    cell: ({ name, slug }) => (
      <>
        <bdi>{name}</bdi>
        <span className="cell-sub mono">{slug}</span>
      </>
    ),
  },
  { header: 'Project', cell: ({ projectName }) => <bdi>{projectName}</bdi> },
  {
    header: 'Accepts',
    cell: ({ isActive, requireSignature }) =>
      isActive ? (
        <Status tone="good">{requireSignature ? 'signed only' : 'signed or unsigned'}</Status>
      ) : (
        <Status tone="none">nothing</Status>
      ),
  },
  {
    header: 'Submissions',
    cell: ({ submissionCount }) => <Num value={submissionCount} short />,
    align: 'end',
  },
  { header: 'Last', cell: ({ lastSubmissionAt }) => <Time at={lastSubmissionAt} />, align: 'end' },
]

/** The inbound webhooks of all projects. They are created and changed on the page of their project. */
export function Page() {
  const [{ name = '', page = '1' }, setFilters] = useFilters()
  const number = Math.max(1, Number.parseInt(page, 10) || 1)
  const webhooks = useApiQuery('listAllWebhooks', {
    query: { name: name || undefined, limit: perPage, offset: (number - 1) * perPage },
  })
  return (
    <PageFrame
      title="Inbound webhooks"
      guide="inbound-webhooks"
      lead="Addresses of your projects that accept JSON from forms, scripts, and other services. Create one in a project, under Inbound webhooks."
    >
      <div className="toolbar">
        <SearchField
          label="Search webhooks and projects"
          value={name}
          onSearch={(text) => setFilters({ name: text, page: '' })}
        />
        {webhooks.data && (
          <span className="quiet toolbar-end" role="status">
            {countText(webhooks.data.total, 'webhook')}
          </span>
        )}
      </div>
      <QueryResult of={webhooks}>
        {({ data, total }) => (
          <>
            <DataTable
              label="Inbound webhooks"
              columns={columns}
              rows={data}
              rowKey={({ id }) => id}
              rowLink={({ id, projectId }) => `/projects/${projectId}/webhooks/${id}`}
              empty={
                name ? (
                  <Empty title="No webhooks match">
                    Search for part of the name of a webhook or a project.
                  </Empty>
                ) : (
                  <Empty title="No webhooks yet">Create one in a project, under Inbound webhooks.</Empty>
                )
              }
            />
            <Pager
              page={number}
              pages={Math.ceil(total / perPage)}
              onPage={(next) => setFilters({ page: String(next) }, { isStep: true })}
            />
          </>
        )}
      </QueryResult>
    </PageFrame>
  )
}
