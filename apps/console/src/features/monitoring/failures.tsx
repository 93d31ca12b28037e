import type { AuthFailure } from '@rolecall/sdk/admin'
import { Link } from '@tanstack/react-router'
import { useApiQuery } from '../../api/queries.ts'
import { Choice } from '../../components/choice.tsx'
import { DataTable } from '../../components/data-table.tsx'
import { Num } from '../../components/number.tsx'
import { Panel } from '../../components/page.tsx'
import { Empty, QueryResult } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import type { Range } from '../../components/time-range.tsx'
import { useFilters } from '../../components/use-filters.ts'
import { type Group, type Grouping, groupFailures, groupings, isGrouping } from './group-failures.ts'

/** The maximum number of failures that the service returns in one response. */
const maxFailures = 500

interface FailuresProps {
  readonly range: Range
  readonly projectId: string | undefined
}

/** The rejected credentials of a period, with their origin and the reason of each refusal. */
export function Failures({ range: { from, to }, projectId }: FailuresProps) {
  const [{ failures: word }, setFilters] = useFilters()
  const grouping: Grouping = isGrouping(word) ? word : 'address'
  const answer = useApiQuery('authFailures', {
    query: { dateFrom: from, dateTo: to, projectId, limit: maxFailures },
  })
  return (
    <Panel
      title="Rejected credentials"
      note={
        (answer.data?.total ?? 0) > maxFailures ? (
          <>
            The newest {maxFailures} of <Num value={answer.data?.total ?? 0} />
          </>
        ) : (
          'Rejected keys, sessions, codes, and signatures, refused sign-ins, and denied access'
        )
      }
      actions={
        <Choice
          label="Grouped"
          value={grouping}
          options={Object.fromEntries(Object.entries(groupings).map(([name, { text }]) => [name, text]))}
          onChoose={(failures) => setFilters({ failures })}
          isSmall
        />
      }
      flush
    >
      <QueryResult of={answer}>
        {({ data }) => (
          <DataTable
            label="Rejected credentials"
            rows={groupFailures(data, grouping)}
            rowKey={({ key }) => key}
            columns={columnsOf(grouping)}
            empty={<Empty title="No rejected requests">There were none in this period.</Empty>}
          />
        )}
      </QueryResult>
    </Panel>
  )
}

const kinds: Readonly<Record<AuthFailure['kind'], string>> = {
  api_key: 'key',
  session: 'session',
  refresh: 'refresh token',
  code: 'code',
  signature: 'signature',
  admin: 'administration',
}

const columnsOf = (grouping: Grouping) => [
  {
    header: groupings[grouping].header,
    cell: ({ key, people }: Group) => (
      <bdi className="mono">{grouping === 'memberId' ? (people[0]?.name ?? key) : key}</bdi>
    ),
  },
  { header: 'Count', cell: ({ count }: Group) => <Num value={count} />, align: 'end' as const },
  {
    header: 'Kind',
    cell: ({ kinds: found }: Group) => found.map((kind) => kinds[kind]).join(', '),
  },
  {
    header: 'Reason',
    cell: ({ reasons }: Group) => reasons.map((reason) => reason.replaceAll('_', ' ')).join(', '),
  },
  { header: 'People', cell: ({ people }: Group) => <Who people={people} /> },
  { header: 'Last', cell: ({ lastAt }: Group) => <Time at={lastAt} />, align: 'end' as const },
]

/** The maximum number of people in a row. Grouping by person shows all of them. */
const maxPeople = 3

/** The people with rejected requests, each with a link to the explanation. */
const Who = ({ people }: Pick<Group, 'people'>) => (
  <span className="chips">
    {people.slice(0, maxPeople).map(({ id, name }) => (
      <Link key={id} to="/members/$id/why" params={{ id }} aria-label={`Why ${name} was refused`}>
        <bdi>{name}</bdi>
      </Link>
    ))}
    {people.length > maxPeople && <span className="quiet">and {people.length - maxPeople} more</span>}
  </span>
)
