import type { AdminInput, RolecallError, UsageChart } from '@rolecall/sdk/admin'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { question } from '../api/queries.ts'

/** The interval of polling, in milliseconds. Counts change constantly, and have no events. */
const everyMs = 60_000

type ChartQuery = NonNullable<AdminInput<'usage'>['query']> & Pick<UsageChart, 'bucket'>

/** Returns requests over time, refetched every minute. */
export const useUsage = (query: ChartQuery): UseQueryResult<UsageChart, RolecallError> =>
  useQuery({
    ...question('usage', { query }),
    refetchInterval: everyMs,
    select: (answer) => {
      // A query with `bucket` returns a chart.
      if (!('series' in answer)) throw new Error('The service returned rows instead of a chart.')
      return answer
    },
  })
