import type { AdminAnswer, AdminInput, AdminQuestion, RolecallError } from '@rolecall/sdk/admin'
import {
  keepPreviousData,
  QueryClient,
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { ask } from './admin.ts'
import { isPassing } from './connection.ts'

declare module '@tanstack/react-query' {
  interface Register {
    defaultError: RolecallError
  }
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // Requests are sent even if the browser believes that it is offline: a failure is shown, and a paused request is
      // not.
      networkMode: 'always',
      // Passing failures are retried. A rejected request would only be rejected again.
      retry: (_failures, error) => isPassing(error),
      retryDelay: (failures) => Math.min(8_000, 1_000 * 2 ** failures),
      placeholderData: keepPreviousData,
    },
    // A change that waited for the network would run at a moment when the administrator no longer expects it.
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
export const useAnswer = <Name extends AdminQuestion>(name: Name, ...rest: Rest<Name>) =>
  useQuery(question(name, ...rest))

/**
 * Changes something, and then refetches everything on the screen. No caller waits for the refetch: it may unmount the
 * component that made the change, which would then miss the response, such as a secret that is shown once.
 */
export function useChange<Name extends AdminQuestion>(name: Name) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (input: AdminInput<Name>): Promise<AdminAnswer<Name>> => ask(name, input),
    onSuccess: () => void client.invalidateQueries(),
  })
}
