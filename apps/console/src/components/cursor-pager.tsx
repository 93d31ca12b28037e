import { Button } from './button.tsx'
import { newestKey, olderKey } from './page-keys.ts'

interface CursorPagerProps {
  /** The cursor of this page. Undefined for the first page. */
  readonly after: string | undefined
  /** The cursor of the next page. Null on the last page. */
  readonly next: string | null
  readonly onGo: (cursor: string | undefined) => void
}

/**
 * The buttons of a list that is read by cursor: to the next page, and back to the first. To go back one page, the user
 * uses the browser's history.
 */
export const CursorPager = ({ after, next, onGo }: CursorPagerProps) =>
  after === undefined && next === null ? null : (
    <nav className="pager" aria-label="Pages">
      <Button
        aria-keyshortcuts={newestKey}
        size="small"
        disabled={after === undefined}
        onClick={() => onGo(undefined)}
      >
        Newest
      </Button>
      <Button
        aria-keyshortcuts={olderKey}
        size="small"
        disabled={next === null}
        onClick={() => onGo(next ?? undefined)}
      >
        Older
      </Button>
    </nav>
  )
