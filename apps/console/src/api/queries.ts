import type { AdminAnswer, AdminInput, AdminQuestion, RolecallError } from '@rolecall/sdk/admin'
import {
  keepPreviousData,
  QueryCache,
  QueryClient,
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useRef } from 'react'
import { ask, askToChange } from './admin.ts'
import { isPassing } from './connection.ts'

declare module '@tanstack/react-query' {
  interface Register {
    defaultError: RolecallError
  }
}

/** The refusals of queries whose last response was a 403 or a 404. */
const refusals = new WeakMap<object, RolecallError>()

const queryCache = new QueryCache({
  // Drops the old response if the object was deleted, or the administrator has lost access to it. Other failures keep
  // it on the screen. After a 403, also refetches the profile, so that the shell shows only what the administrator may
  // use.
  onError: (error, query) => {
    const { status } = error
    if (status !== 403 && status !== 404) return void refusals.delete(query)
    refusals.set(query, error)
    query.setState({ data: undefined })
    if (status === 403 && query.queryKey[0] !== 'getProfile') {
      void queryClient.invalidateQueries({ queryKey: ['getProfile'] })
    }
  },
  onSuccess: (_answer, query) => void refusals.delete(query),
})

// Keeps a refusal on the screen during a refetch. A query without data would begin it as one that was never fetched, so
// its page would be replaced by a placeholder for a moment.
queryCache.subscribe((event) => {
  if (event.type !== 'updated' || event.action.type !== 'fetch') return
  const error = refusals.get(event.query)
  if (error) event.query.setState({ status: 'error', error })
})

/** The client of all calls, with the rules for retries and refetches that they share. */
export const queryClient = new QueryClient({
  queryCache,
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // Sends requests even if the browser believes that it is offline. The page shows a failure, but could not show
      // that a request is paused.
      networkMode: 'always',
      // Retries only failures that may pass. A request that the service rejected would be rejected again.
      retry: (_failures, error) => isPassing(error),
      retryDelay: (failures) => Math.min(8_000, 1_000 * 2 ** failures),
      placeholderData: keepPreviousData,
    },
    // A change must not wait for the network: it would happen when the administrator no longer expects it.
    mutations: { networkMode: 'always' },
  },
})

/** The input of a call, optional if the endpoint requires none. */
type Rest<Name extends AdminQuestion> =
  Record<string, never> extends AdminInput<Name> ? [input?: AdminInput<Name>] : [input: AdminInput<Name>]

/** A call to the service as a query. Its cache key is the name of the endpoint and the input. */
export const question = <Name extends AdminQuestion>(name: Name, ...[input]: Rest<Name>) =>
  queryOptions({
    queryKey: [name, input] as const,
    queryFn: ({ signal }): Promise<AdminAnswer<Name>> => ask(name, (input ?? {}) as AdminInput<Name>, signal),
  })

/** Returns the response to a call, and its state. */
export const useApiQuery = <Name extends AdminQuestion>(name: Name, ...rest: Rest<Name>) =>
  useQuery(question(name, ...rest))

/** Handlers for the response to a change. */
interface ChangeHandlers<Name extends AdminQuestion> {
  readonly onSuccess?: (answer: AdminAnswer<Name>) => void
  readonly onError?: (error: RolecallError) => void
  readonly onSettled?: () => void
}

/**
 * Calls an endpoint that changes something, and then refetches everything on the screen. The change does not wait for
 * the refetch. Unlike those of TanStack Query, the handlers run even if a refetch has unmounted the component: the
 * event of the service can arrive, and start a refetch, before the response.
 *
 * While a change runs, `mutate` ignores the same change: `isPending` renders only later, so the second click of a double
 * click can arrive before the button is busy.
 */
export function useChange<Name extends AdminQuestion>(name: Name) {
  const client = useQueryClient()
  const change = useMutation({
    mutationFn: (input: AdminInput<Name>): Promise<AdminAnswer<Name>> => askToChange(name, input),
    onSuccess: () => void client.invalidateQueries(),
  })
  const running = useRef(new Set<string>())
  const mutate = (
    input: AdminInput<Name>,
    { onSuccess, onError = () => {}, onSettled }: ChangeHandlers<Name> = {},
  ): void => {
    const key = JSON.stringify(input)
    if (running.current.has(key)) return
    running.current.add(key)
    const settle = () => {
      running.current.delete(key)
      onSettled?.()
    }
    void change.mutateAsync(input).then(onSuccess, onError).finally(settle)
  }
  return { ...change, mutate }
}
