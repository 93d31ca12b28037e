import { Button } from './button.tsx'
import { newestKey, olderKey } from './page-keys.ts'
import { useFilters } from './use-filters.ts'

interface CursorPagerProps {
  /** The cursor of the next page. Null on the last page. */
  readonly next: string | null
  /** The filter with the cursor of this page. */
  readonly filter?: string
}

/**
 * The buttons of a list that is read by cursor: to the next page, and back to the first. To go back one page, the user
 * uses the browser's history.
 */
export function CursorPager({ next, filter = 'cursor' }: CursorPagerProps) {
  const [{ [filter]: after }, setFilters] = useFilters()
  if (after === undefined && next === null) return null
  const go = (cursor: string | undefined) => setFilters({ [filter]: cursor }, { isStep: true })
  return (
    <nav className="pager" aria-label="Pages">
      <Button
        aria-keyshortcuts={newestKey}
        size="small"
        disabled={after === undefined}
        onClick={() => go(undefined)}
      >
        Newest
      </Button>
      <Button
        aria-keyshortcuts={olderKey}
        size="small"
        disabled={next === null}
        onClick={() => go(next ?? undefined)}
      >
        Older
      </Button>
    </nav>
  )
}
