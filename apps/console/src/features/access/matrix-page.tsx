import type { AccessMapping, AdminAnswer, Project } from '@rolecall/sdk/admin'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useApiQuery } from '../../api/queries.ts'
import { ButtonLink } from '../../components/button.tsx'
import { Page as PageFrame, Panel } from '../../components/page.tsx'
import { SearchField } from '../../components/search-field.tsx'
import { SelectBox } from '../../components/select-box.tsx'
import { type Selection, useSelection } from '../../components/selection.ts'
import { answersOf, Empty, QueryResult, Skeleton } from '../../components/states.tsx'
import { TableFrame } from '../../components/table-frame.tsx'
import { Time } from '../../components/time.tsx'
import { useFilters } from '../../components/use-filters.ts'
import { isLong, VirtualRows } from '../../components/virtual-rows.tsx'
import type { PlacedRow } from '../../components/visible-rows.tsx'
import { useMayChange } from '../../shell/profile.ts'
import { AccessEditor, type Cell } from './access-editor.tsx'
import { accessText, grantText } from './access-text.ts'
import { BulkAccess } from './bulk-access.tsx'
import './access.css'

/** The access matrix of all projects and servers. A cell shows the access, and a click on it opens the editor. */
export function Page() {
  const [{ name = '' }, setFilters] = useFilters()
  const [open, setOpen] = useState<Pick<Cell, 'project' | 'server'>>()
  const mayChange = useMayChange()
  const projects = useApiQuery('listProjects', { query: { name: name || undefined } })
  const servers = useApiQuery('listServers')
  const matrix = useApiQuery('accessMatrix', { query: {} })
  const everything = answersOf(projects, servers, matrix)
  const selection = useSelection(projects.data?.data ?? [], ({ id }) => id)
  return (
    <PageFrame
      title="Access"
      guide="administering"
      lead="The servers that each project can use, and its permissions there. Changes apply from the next request."
      width="wide"
    >
      <div className="toolbar">
        <SearchField label="Search projects" value={name} onSearch={(text) => setFilters({ name: text })} />
      </div>
      <div className="access">
        <QueryResult of={everything} loading={<Skeleton rows={10} />}>
          {([projects, servers, matrix]) =>
            projects.data.length === 0 || servers.data.length === 0 ? (
              <div className="table-frame">
                <NoCells isSearched={name !== ''} hasServers={servers.data.length > 0} />
              </div>
            ) : (
              <Matrix
                projects={projects.data}
                servers={servers.data}
                mappings={matrix.data}
                onOpen={mayChange ? setOpen : undefined}
                selection={mayChange ? selection : undefined}
              />
            )
          }
        </QueryResult>
        <Trail />
      </div>
      {open && (
        <AccessEditor
          cell={{ ...open, mapping: matrix.data?.data.find(isOf(open)) }}
          onClose={() => setOpen(undefined)}
        />
      )}
    </PageFrame>
  )
}

/** Returns a test for the mapping of a project and a server. */
const isOf =
  ({ project, server }: Pick<Cell, 'project' | 'server'>) =>
  ({ projectId, serverId }: AccessMapping): boolean =>
    projectId === project.id && serverId === server.id

/** The content of a matrix without cells. */
function NoCells({ isSearched, hasServers }: { isSearched: boolean; hasServers: boolean }) {
  const mayChange = useMayChange()
  if (isSearched) return <Empty title="No projects match">Search for part of a name.</Empty>
  if (!hasServers)
    return (
      <Empty title="No servers yet" action={<ButtonLink to="/servers">Open Servers</ButtonLink>}>
        Add a server. Then grant projects access to it here.
      </Empty>
    )
  const create = mayChange && <ButtonLink to="/projects/new">New project</ButtonLink>
  return (
    <Empty title="No projects yet" action={create}>
      Create a project. Then grant it access to servers here.
    </Empty>
  )
}

interface MatrixProps {
  readonly projects: readonly Project[]
  readonly servers: AdminAnswer<'listServers'>['data']
  readonly mappings: readonly AccessMapping[]
  readonly onOpen: ((cell: Cell) => void) | undefined
  readonly selection: Selection<Project> | undefined
}

function Matrix({ projects, servers, mappings, onOpen, selection }: MatrixProps) {
  const [frame, setFrame] = useState<HTMLElement | null>(null)
  const byCell = new Map(mappings.map((one) => [`${one.projectId} ${one.serverId}`, one]))
  const mappingOf = (project: { id: string }, server: { id: string }) =>
    byCell.get(`${project.id} ${server.id}`)
  const row = (project: Project, placed?: PlacedRow) => (
    <tr key={project.id} {...placed}>
      <th scope="row">
        <SelectBox
          label={`Select ${project.name}`}
          isOn={selection?.has(project) ?? false}
          onToggle={selection && (() => selection.toggle(project))}
        >
          <Link to="/projects/$id" params={{ id: project.id }} className="row-link" title={project.name}>
            <bdi>{project.name}</bdi>
          </Link>
        </SelectBox>
        {!project.isActive && <span className="cell-sub">inactive</span>}
      </th>
      {servers.map((server) => (
        <td key={server.id} data-label={server.name}>
          <CellButton cell={{ project, server, mapping: mappingOf(project, server) }} onOpen={onOpen} />
        </td>
      ))}
    </tr>
  )
  const isVirtual = isLong(projects.length)
  const table = (
    <TableFrame label="Access of projects to servers" isVirtual ref={setFrame}>
      <table className="table cards matrix" aria-rowcount={isVirtual ? projects.length + 1 : undefined}>
        <caption className="unseen">Access of projects to servers</caption>
        <thead>
          <tr>
            <th scope="col" data-selects={selection && ''}>
              <SelectBox
                label="Select all rows"
                isOn={selection?.areAll ?? false}
                onToggle={selection?.toggleAll}
              >
                Project
              </SelectBox>
            </th>
            {servers.map((server) => (
              <th key={server.id} scope="col" title={server.name}>
                <bdi>{server.name}</bdi>
                {server.isMain && ' (main)'}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {isVirtual ? (
            <VirtualRows count={projects.length} columns={servers.length + 1} frame={frame}>
              {(at, placed) => {
                const project = projects[at]
                return project && row(project, placed)
              }}
            </VirtualRows>
          ) : (
            projects.map((project) => row(project))
          )}
        </tbody>
      </table>
    </TableFrame>
  )
  return (
    <div className="stack tight">
      {selection && <BulkAccess {...{ selection, servers, mappingOf }} />}
      {table}
    </div>
  )
}

function CellButton({ cell, onOpen }: { cell: Cell; onOpen: ((cell: Cell) => void) | undefined }) {
  const { mapping, project, server } = cell
  const text = accessText(project, server, mapping)
  const isOn = text !== 'None'
  if (!onOpen) return <span className={isOn ? '' : 'quiet'}>{text}</span>
  return (
    <button
      type="button"
      className="cell"
      data-on={isOn ? '' : undefined}
      aria-label={`${project.name} in ${server.name}: ${text}`}
      onClick={() => onOpen(cell)}
    >
      {text}
    </button>
  )
}

/** The parts of the sentence about a change, before and after the name of the project. */
const verbs = {
  GRANT: ['granted', 'access to'],
  UPDATE: ['changed the access of', 'to'],
  REVOKE: ['revoked the access of', 'to'],
} as const

/** The latest changes of access, newest first, each with the administrator who made it. */
function Trail() {
  const trail = useApiQuery('accessTrail', { query: { limit: 30 } })
  return (
    <Panel title="Changes">
      <QueryResult of={trail}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="quiet">No changes yet.</p>
          ) : (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard.
            <ul className="trail" aria-label="Access changes" tabIndex={0}>
              {data.map(({ id, at, action, actorUsername, projectName, serverName, after }) => (
                <li key={id}>
                  <span>
                    <strong>
                      <bdi>{actorUsername ?? 'Rolecall'}</bdi>
                    </strong>{' '}
                    {verbs[action][0]}{' '}
                    <strong>
                      <bdi>{projectName}</bdi>
                    </strong>{' '}
                    {verbs[action][1]} <bdi>{serverName}</bdi>
                  </span>
                  <span className="quiet">
                    {after && action !== 'REVOKE' && `${grantText(after)} · `}
                    <Time at={at} />
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </QueryResult>
    </Panel>
  )
}
