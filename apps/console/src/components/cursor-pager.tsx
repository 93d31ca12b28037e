import { Button } from './button.tsx'
import { newestKey, olderKey } from './page-keys.ts'

interface CursorPagerProps {
  /** The cursor of this page; undefined for the first page. */
  readonly after: string | undefined
  /** The cursor of the next page; null on the last page. */
  readonly next: string | null
  readonly onGo: (cursor: string | undefined) => void
}

/**
 * Buttons to the next page of a list that is read by cursor, and back to the first. The browser goes back page by page.
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
