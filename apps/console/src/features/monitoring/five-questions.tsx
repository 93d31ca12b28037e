import { useQuery } from '@tanstack/react-query'
import { question, useApiQuery } from '../../api/queries.ts'
import { figureValue } from '../../components/figure-value.ts'
import { boundText, shareText } from '../../components/latency-text.ts'
import { Num } from '../../components/number.tsx'
import { Figures } from '../../components/page.tsx'
import { QueryResult, Skeleton } from '../../components/states.tsx'
import type { Range } from '../../components/time-range.tsx'
import { summaryOf, waitingIn } from './summary.ts'

const everyMs = 15_000
/** The maximum number of endpoints to request. It exceeds the number of endpoints that the service has. */
const maxEndpoints = 500

/** The figures that an operator checks first: traffic, errors, rejected requests, response times, and queues. */
export function FiveQuestions({
  range: { from, to },
  projectId,
}: {
  range: Range
  projectId: string | undefined
}) {
  const latency = useApiQuery('latency', {
    query: { from, to, projectId, groupBy: 'route', limit: maxEndpoints },
  })
  const queues = useQuery({ ...question('queues', {}), refetchInterval: everyMs })
  return (
    <section aria-label="At a glance">
      <QueryResult of={latency} loading={<Skeleton rows={1} height={74} />}>
        {({ data, boundsMs }) => {
          const { count, serverErrors, clientErrors, measured, p95Ms } = summaryOf(data, boundsMs)
          return (
            <Figures
              of={[
                { name: 'Requests', value: <Num value={count} short /> },
                {
                  name: 'Errors',
                  value: <Num value={serverErrors} short />,
                  note: shareText(serverErrors, count),
                },
                {
                  name: 'Rejected',
                  value: <Num value={clientErrors} short />,
                  note: shareText(clientErrors, count),
                },
                { name: 'Latency, p95', value: boundText(p95Ms, measured) },
                {
                  name: 'Waiting in queues',
                  value: figureValue(queues, ({ data: all }) => <Num value={waitingIn(all)} short />),
                  note: projectId && 'across all projects',
                },
              ]}
            />
          )
        }}
      </QueryResult>
    </section>
  )
}
