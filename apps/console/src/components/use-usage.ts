import type { AdminInput, RolecallError, UsageChart } from '@rolecall/sdk/admin'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { question } from '../api/queries.ts'

/** Counts change constantly and send no events, so they are polled. */
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
