import { Button } from './button.tsx'
import { newestKey, olderKey } from './page-keys.ts'

interface CursorPagerProps {
  /** Where this page begins; undefined for the first. */
  readonly after: string | undefined
  /** Where the next one begins; null on the last. */
  readonly next: string | null
  readonly onGo: (cursor: string | undefined) => void
}

/** Goes on in a list that is read by cursor; the way back is that of the browser. */
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
