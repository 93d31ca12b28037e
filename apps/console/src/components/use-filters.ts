import { useNavigate, useRouter, useSearch } from '@tanstack/react-router'

type Filters = Readonly<Record<string, string | undefined>>

/**
 * The filters of a page, read from its address, so that they survive a reload, can be shared, and are part of the
 * history.
 */
export function useFilters(): readonly [Filters, (changes: Filters) => void] {
  const filters: Filters = useSearch({ strict: false })
  const navigate = useNavigate()
  const router = useRouter()
  // Merges into the latest filters, so a change made while a text field settles is not lost.
  const set = (changes: Filters) => {
    // A page that is being left sets no filters: text that was just typed there would end up in the address of the next
    // page.
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

/** Returns the search of a link that filters its own page. The other filters stay. */
export const withFilters =
  (changes: Filters) =>
  (before: Filters): Record<string, string> =>
    withChanges(before, changes)

function withChanges(before: Filters, changes: Filters): Record<string, string> {
  const next: Record<string, string> = {}
  for (const [key, value] of Object.entries({ ...before, ...changes })) if (value) next[key] = value
  return next
}
