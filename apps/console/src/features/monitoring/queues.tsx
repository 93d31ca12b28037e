import { useQuery } from '@tanstack/react-query'
import { question } from '../../api/queries.ts'
import { DataTable } from '../../components/data-table.tsx'
import { Num } from '../../components/number.tsx'
import { Panel } from '../../components/page.tsx'
import { Empty, QueryResult } from '../../components/states.tsx'

const everyMs = 15_000

/** Returns the time that a job has waited, in its largest unit. */
function ageText(seconds: number): string {
  const units = [
    [86_400, 'd'],
    [3_600, 'h'],
    [60, 'min'],
  ] as const
  const [size, unit] = units.find(([one]) => seconds >= one) ?? [1, 's']
  return `${Math.floor(seconds / size)} ${unit}`
}

/** The queues in the database. The age of the oldest job shows whether the queue is being processed. */
export function Queues() {
  const queues = useQuery({ ...question('queues', {}), refetchInterval: everyMs })
  return (
    <Panel title="Queues" note="Pending deliveries and jobs" flush>
      <QueryResult of={queues}>
        {({ data }) => (
          <DataTable
            label="Queues"
            rows={data}
            rowKey={({ name }) => name}
            columns={[
              {
                header: 'Queue',
                cell: ({ name, meaning }) => (
                  <>
                    <bdi className="mono">{name}</bdi>
                    <span className="cell-sub">{meaning}</span>
                  </>
                ),
              },
              { header: 'Waiting', align: 'end', cell: ({ waiting }) => <Num value={waiting} /> },
              {
                header: 'Oldest',
                align: 'end',
                cell: ({ waiting, oldestSec }) => (waiting > 0 ? ageText(oldestSec) : '–'),
              },
            ]}
            empty={
              <Empty title="No queues">
                The list is empty although the service has queues. Reload the page.
              </Empty>
            }
          />
        )}
      </QueryResult>
    </Panel>
  )
}
