import { useNavigate, useRouter, useSearch } from '@tanstack/react-router'

type Filters = Readonly<Record<string, string | undefined>>

interface SetOptions {
  /** True for a step that the browser's Back button undoes, such as the next page of a list. */
  readonly isStep?: boolean
}

/**
 * Returns the filters of a page, and a function that changes them. They are in the address, so they survive a reload,
 * and can be shared.
 */
export function useFilters(): readonly [Filters, (changes: Filters, options?: SetOptions) => void] {
  const filters: Filters = useSearch({ strict: false })
  const navigate = useNavigate()
  const router = useRouter()
  // Merges into the latest filters. A text field sets its filter with a delay, and must not undo a change made
  // meanwhile.
  const set = (changes: Filters, { isStep = false }: SetOptions = {}) => {
    // Sets no filter if the user is leaving the page. Otherwise, text that was just typed would end up in the address
    // of the next page.
    const shown = router.state.resolvedLocation
    if (shown && shown.pathname !== router.latestLocation.pathname) return
    void navigate({
      to: '.',
      search: (before: Filters) => withChanges(before, changes),
      replace: !isStep,
      resetScroll: false,
    })
  }
  return [filters, set]
}

/** Returns the query of a link that changes filters of the same page, and keeps the others. */
export const withFilters =
  (changes: Filters) =>
  (before: Filters): Record<string, string> =>
    withChanges(before, changes)

function withChanges(before: Filters, changes: Filters): Record<string, string> {
  const next: Record<string, string> = {}
  for (const [key, value] of Object.entries({ ...before, ...changes })) if (value) next[key] = value
  return next
}
