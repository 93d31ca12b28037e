import type { Project } from '@rolecall/sdk/admin'
import { useApiQuery } from '../../api/queries.ts'
import { ButtonLink } from '../../components/button.tsx'
import { Status } from '../../components/chip.tsx'
import { Choice } from '../../components/choice.tsx'
import { Copyable } from '../../components/copy.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Icon } from '../../components/icon.tsx'
import { countText, Num } from '../../components/number.tsx'
import { Page as PageFrame } from '../../components/page.tsx'
import { SearchField } from '../../components/search-field.tsx'
import { Empty, QueryResult } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { useFilters } from '../../components/use-filters.ts'
import { useMayChange, useMayRead, useProfile } from '../../shell/profile.ts'
import { serverCountOf, stateOf } from './project-state.ts'

/** The list of all projects that the reader may see. */
export const Page = () => (useMayRead() ? <AllProjects /> : <OwnProjects />)

const states = { active: 'Active', inactive: 'Inactive' }

const columns: readonly Column<Project>[] = [
  { header: 'Name', cell: ({ name }) => <bdi>{name}</bdi>, sortBy: ({ name }) => name },
  {
    header: 'ID',
    cell: ({ id }) => (
      <span className="nowrap">
        <Copyable text={id} shown={`…${id.slice(-8)}`} />
      </span>
    ),
  },
  {
    header: 'State',
    cell: (project) => {
      const { tone, text } = stateOf(project)
      return <Status tone={tone}>{text}</Status>
    },
    sortBy: (project) => stateOf(project).text,
  },
  { header: 'Key', cell: ({ apiKey }) => <span className="mono">{apiKey.prefix}…</span> },
  {
    header: 'Key last used',
    cell: ({ apiKey }) => <Time at={apiKey.lastUsedAt} />,
    sortBy: ({ apiKey }) => apiKey.lastUsedAt,
  },
  {
    header: 'Servers',
    cell: (project) => <Num value={serverCountOf(project)} />,
    align: 'end',
    sortBy: serverCountOf,
  },
  {
    header: 'Created',
    cell: ({ createdAt }) => <Time at={createdAt} />,
    align: 'end',
    sortBy: ({ createdAt }) => createdAt,
  },
]

function AllProjects() {
  const [{ name = '', state = '' }, setFilters] = useFilters()
  const mayChange = useMayChange()
  const isActive = state === '' ? undefined : state === 'active'
  const projects = useApiQuery('listProjects', { query: { name: name || undefined, isActive } })
  const create = mayChange && (
    <ButtonLink kind="main" to="/projects/new">
      <Icon name="plus" size={14} />
      New project
    </ButtonLink>
  )
  return (
    <PageFrame
      title="Projects"
      guide="first-project"
      lead="A project is an app that signs in members of your community."
      actions={create}
    >
      <div className="toolbar">
        <SearchField label="Search projects" value={name} onSearch={(text) => setFilters({ name: text })} />
        <Choice
          label="State"
          value={state}
          options={states}
          all="Every state"
          onChoose={(chosen) => setFilters({ state: chosen })}
        />
        {projects.data && (
          <span className="quiet toolbar-end" role="status">
            {countText(projects.data.total, 'project')}
          </span>
        )}
      </div>
      <QueryResult of={projects}>
        {({ data }) => (
          <DataTable
            label="Projects"
            columns={columns}
            rows={data}
            rowKey={({ id }) => id}
            rowLink={({ id }) => `/projects/${id}`}
            empty={
              name || state ? (
                <Empty title="No projects match">Search for part of a name, or show every state.</Empty>
              ) : (
                <Empty title="No projects yet" action={create}>
                  A project is an app that signs members in: a wiki, a shop, or a game server’s panel. It gets
                  its own key.
                </Empty>
              )
            }
          />
        )}
      </QueryResult>
    </PageFrame>
  )
}

/** The projects of an owner who is neither a System Admin nor an auditor. */
function OwnProjects() {
  const { ownedProjects } = useProfile()
  return (
    <PageFrame title="Projects" guide="first-project" lead="The projects that you manage.">
      <DataTable
        label="Projects"
        columns={[{ header: 'Name', cell: ({ name }) => <bdi>{name}</bdi> }]}
        rows={ownedProjects}
        rowKey={({ id }) => id}
        rowLink={({ id }) => `/projects/${id}`}
        empty={<Empty title="No projects">A System Admin can make you the owner of a project.</Empty>}
      />
    </PageFrame>
  )
}
