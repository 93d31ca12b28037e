import type { AdminInput, RolecallError, UsageChart } from '@rolecall/sdk/admin'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { question } from '../api/queries.ts'

/** Counts come all the time, and nobody is told of each. */
const everyMs = 60_000

type ChartQuery = NonNullable<AdminInput<'usage'>['query']> & Pick<UsageChart, 'bucket'>

/** Requests in the course of time, read anew every minute. */
export const useUsage = (query: ChartQuery): UseQueryResult<UsageChart, RolecallError> =>
  useQuery({
    ...question('usage', { query }),
    refetchInterval: everyMs,
    select: (answer) => {
      // With `bucket` the answer is a chart.
      if (!('series' in answer)) throw new Error('The service answered rows for a chart.')
      return answer
    },
  })
