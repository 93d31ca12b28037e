import type { MemberListItem } from '@rolecall/sdk/admin'
import { Link } from '@tanstack/react-router'
import { useApiQuery } from '../../api/queries.ts'
import { RoleChip, Status } from '../../components/chip.tsx'
import { byId, Choice } from '../../components/choice.tsx'
import { Copyable } from '../../components/copy.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { countText, numberText } from '../../components/number.tsx'
import { Page as PageFrame, Panel } from '../../components/page.tsx'
import { Pager } from '../../components/pager.tsx'
import { Portrait } from '../../components/portrait.tsx'
import { latestOfEach, WhyLink, whyLink } from '../../components/refusals.tsx'
import { SearchField } from '../../components/search-field.tsx'
import { Empty, QueryResult } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { RoleToggle } from '../../components/toggle-chip.tsx'
import { useFilters, withFilters } from '../../components/use-filters.ts'
import { pastedIn } from '../../shell/pasted.ts'
import { ExportMembers } from './export.tsx'

const perPage = 50
/** The maximum number of roles in a row. */
const maxRoles = 4

const columns: readonly Column<MemberListItem>[] = [
  {
    header: 'Member',
    cell: ({ username, globalName, avatar }) => (
      <span className="with-portrait">
        <Portrait of={avatar} name={globalName ?? username} />
        <span>
          <bdi>{globalName ?? username}</bdi>
          {globalName && <bdi className="cell-sub">{username}</bdi>}
        </span>
      </span>
    ),
  },
  {
    header: 'ID',
    cell: ({ memberId }) => (
      <span className="nowrap">
        <Copyable text={memberId} />
      </span>
    ),
  },
  {
    header: 'Servers',
    cell: ({ servers }) => (
      <span className="chips">
        {servers.map(({ serverId, serverName }) => (
          <Link key={serverId} to="/members" search={withFilters({ server: serverId, roles: '', page: '' })}>
            <bdi>{serverName}</bdi>
          </Link>
        ))}
      </span>
    ),
  },
  { header: 'Roles', cell: rolesOf },
  {
    header: 'State',
    align: 'end',
    cell: ({ blocked, isClubMember }) => {
      if (blocked) return <Status tone="bad">Blocked</Status>
      return !isClubMember && <span className="quiet">Not in the main server</span>
    },
  },
]

function rolesOf({ servers }: MemberListItem) {
  const roles = servers.flatMap(({ serverId, roles }) => roles.map((role) => ({ ...role, serverId })))
  const more = roles.length - maxRoles
  return (
    <span className="chips">
      {roles.slice(0, maxRoles).map(({ id, name, color, serverId }) => (
        <Link key={id} to="/members" search={withFilters({ server: serverId, roles: id, page: '' })}>
          <RoleChip name={name} color={color} />
        </Link>
      ))}
      {more > 0 && <span className="quiet">and {more} more</span>}
    </span>
  )
}

/** The list of all accounts that are now in at least one server. */
export function Page() {
  const [{ search = '', server = '', roles = '', page = '1' }, setFilters] = useFilters()
  const roleIds = roles === '' ? [] : roles.split(',')
  const filters = {
    search: search || undefined,
    serverId: server === '' ? undefined : [server],
    roleId: roleIds.length > 0 ? roleIds : undefined,
  }
  const number = Math.max(1, Number.parseInt(page, 10) || 1)
  const members = useApiQuery('listMembers', { query: { ...filters, page: number, limit: perPage } })
  const servers = useApiQuery('listServers')
  const narrow = (changes: Record<string, string>) => setFilters({ ...changes, page: '' })
  return (
    <PageFrame
      title="Members"
      guide="administering"
      lead="The current members of your servers, with their roles."
      actions={<ExportMembers query={given(filters)} />}
    >
      <div className="stack tight">
        <div className="toolbar">
          <SearchField label="Search members" value={search} onSearch={(text) => narrow({ search: text })} />
          <Choice
            label="Server"
            value={server}
            options={byId(servers.data?.data)}
            all="Every server"
            onChoose={(chosen) => narrow({ server: chosen, roles: '' })}
          />
          {members.data && (
            <span className="quiet toolbar-end" role="status">
              {countText(members.data.total, 'member')}
            </span>
          )}
        </div>
        {server !== '' && (
          <RoleFilter
            serverId={server}
            chosen={roleIds}
            onChange={(ids) => narrow({ roles: ids.join(',') })}
          />
        )}
      </div>
      <QueryResult of={members}>
        {({ data, totalPages }) => (
          <>
            <DataTable
              label="Members"
              columns={columns}
              rows={data}
              rowKey={({ memberId }) => memberId}
              rowLink={({ memberId }) => `/members/${memberId}`}
              empty={
                number > 1 ? (
                  <Empty
                    title={`There is no page ${numberText(number)}`}
                    action={
                      <Link to="/members" search={withFilters({ page: '' })}>
                        Go to the first page
                      </Link>
                    }
                  />
                ) : pastedIn(search)?.kind === 'member' ? (
                  <NoName id={search} />
                ) : search || server ? (
                  <Empty title="No members match">
                    Search for part of a name or username, choose every server, or enter an ID.
                  </Empty>
                ) : (
                  <Empty title="No members yet">
                    Members appear after a server is read. Open the server on the Servers page, and choose
                    “Read all members”.
                  </Empty>
                )
              }
            />
            {search !== '' && number === 1 && <RefusedPeople search={search} />}
            {number <= totalPages && (
              <Pager
                page={number}
                pages={totalPages}
                onPage={(next) => setFilters({ page: String(next) }, { isStep: true })}
              />
            )}
          </>
        )}
      </QueryResult>
    </PageFrame>
  )
}

/** Lists refused accounts that are in no server. They are missing in the list of members. */
function RefusedPeople({ search }: { search: string }) {
  const refused = useApiQuery('listRefusedLogins', { query: { search, limit: 50 } })
  const people = latestOfEach(refused.data?.data ?? []).filter(({ code }) => code === 'not_a_member')
  if (people.length === 0) return null
  return (
    <Panel title="Refused sign-ins" note="These accounts tried to sign in but are not members." flush>
      <DataTable
        label="Refused sign-ins"
        rows={people}
        rowKey={({ memberId }) => memberId}
        rowLink={whyLink}
        columns={[
          {
            header: 'Account',
            cell: ({ displayName, username, avatar }) => (
              <span className="with-portrait">
                <Portrait of={avatar} name={displayName ?? username} />
                <span>
                  <bdi>{displayName ?? username}</bdi>
                  {displayName && <bdi className="cell-sub">{username}</bdi>}
                </span>
              </span>
            ),
          },
          { header: 'Last attempt', cell: ({ at }) => <Time at={at} /> },
          { header: 'State', cell: () => <Status tone="bad">Not a member</Status>, align: 'end' },
          { header: '', cell: (entry) => <WhyLink refused={entry} />, align: 'end' },
        ]}
        empty={null}
      />
    </Panel>
  )
}

/**
 * A hint for a search by ID that finds no name. The account may be in no server, so the hint links to the page that
 * explains its access.
 */
const NoName = ({ id }: { id: string }) => (
  <Empty
    title="No name contains this ID"
    action={
      <Link to="/members/$id/why" params={{ id }}>
        Why can’t this account sign in?
      </Link>
    }
  >
    It may belong to a member, or to an account outside your servers.
  </Empty>
)

/** Removes the filters that are not set. */
const given = <T extends object>(filters: { readonly [K in keyof T]: T[K] | undefined }) =>
  Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined)) as Partial<T>

interface RoleFilterProps {
  readonly serverId: string
  readonly chosen: readonly string[]
  readonly onChange: (ids: readonly string[]) => void
}

function RoleFilter({ serverId, chosen, onChange }: RoleFilterProps) {
  const roles = useApiQuery('listRoles', { params: { id: serverId } })
  return (
    // biome-ignore lint/a11y/useSemanticElements: they are no fields of a form.
    <div className="chips" role="group" aria-label="With one of these roles">
      {roles.data?.data.map(({ id, name, color }) => {
        const isOn = chosen.includes(id)
        return (
          <RoleToggle
            key={id}
            {...{ name, color, isOn }}
            onToggle={() => onChange(isOn ? chosen.filter((one) => one !== id) : [...chosen, id])}
          />
        )
      })}
    </div>
  )
}
