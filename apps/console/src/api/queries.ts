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
      // Also where the browser thinks that there is no network: what fails is told, what waits in silence is not.
      networkMode: 'always',
      // What passes heals by itself; a refusal would only be repeated.
      retry: (_failures, error) => isPassing(error),
      retryDelay: (failures) => Math.min(8_000, 1_000 * 2 ** failures),
      placeholderData: keepPreviousData,
    },
    // A change that waited for the network would be made when nobody expects it any more.
    mutations: { networkMode: 'always' },
  },
})

/** The rest of a call: left out where nothing has to be said. */
type Rest<Name extends AdminQuestion> =
  Record<string, never> extends AdminInput<Name> ? [input?: AdminInput<Name>] : [input: AdminInput<Name>]

/** A question to the service, as Query keeps its answer: by the endpoint's name and what it is asked. */
export const question = <Name extends AdminQuestion>(name: Name, ...[input]: Rest<Name>) =>
  queryOptions({
    queryKey: [name, input] as const,
    queryFn: ({ signal }): Promise<AdminAnswer<Name>> => ask(name, (input ?? {}) as AdminInput<Name>, signal),
  })

/** The answer to a question, and what becomes of it. */
export const useAnswer = <Name extends AdminQuestion>(name: Name, ...rest: Rest<Name>) =>
  useQuery(question(name, ...rest))

/**
 * A change of something. Once it is answered, everything on the screen is asked for again. Nobody waits for that: what
 * is asked for may take away whoever made the change, who would never hear the answer, such as a secret that is told once.
 */
export function useChange<Name extends AdminQuestion>(name: Name) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (input: AdminInput<Name>): Promise<AdminAnswer<Name>> => ask(name, input),
    onSuccess: () => void client.invalidateQueries(),
  })
}
