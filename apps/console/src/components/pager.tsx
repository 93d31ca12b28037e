import { Button } from './button.tsx'
import { numberText } from './number.tsx'
import { newestKey, olderKey } from './page-keys.ts'

interface PagerProps {
  readonly page: number
  readonly pages: number
  readonly onPage: (page: number) => void
}

/** The buttons to the previous and the next page of a list. Hidden if there is only one page. */
export const Pager = ({ page, pages, onPage }: PagerProps) =>
  pages > 1 && (
    <nav className="pager" aria-label="Pages">
      <Button
        aria-keyshortcuts={newestKey}
        size="small"
        disabled={page <= 1}
        onClick={() => onPage(page - 1)}
      >
        Previous
      </Button>
      <span role="status">
        Page {numberText(page)} of {numberText(pages)}
      </span>
      <Button
        aria-keyshortcuts={olderKey}
        size="small"
        disabled={page >= pages}
        onClick={() => onPage(page + 1)}
      >
        Next
      </Button>
    </nav>
  )
