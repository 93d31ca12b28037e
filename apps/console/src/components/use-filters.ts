import { useNavigate, useRouter, useSearch } from '@tanstack/react-router'

type Filters = Readonly<Record<string, string | undefined>>

/** What narrows a page, from its address: it can be reloaded, sent to somebody, and gone back to. */
export function useFilters(): readonly [Filters, (changes: Filters) => void] {
  const filters: Filters = useSearch({ strict: false })
  const navigate = useNavigate()
  const router = useRouter()
  // What was changed a moment ago, while something typed was settling, stays changed.
  const set = (changes: Filters) => {
    // A page that is being left narrows nothing: what was typed there just before would end up in the next page's address.
    const shown = router.state.resolvedLocation
    if (shown && shown.pathname !== router.latestLocation.pathname) return
    void navigate({
      to: '.',
      search: (before: Filters) => withChanges(before, changes),
      replace: true,
      resetScroll: false,
    })
  }
  return [filters, set]
}

/** For a link that narrows the page it is on: the other filters stay. */
export const withFilters =
  (changes: Filters) =>
  (before: Filters): Record<string, string> =>
    withChanges(before, changes)

function withChanges(before: Filters, changes: Filters): Record<string, string> {
  const next: Record<string, string> = {}
  for (const [key, value] of Object.entries({ ...before, ...changes })) if (value) next[key] = value
  return next
}
