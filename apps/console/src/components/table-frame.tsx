import type { ReactNode, Ref } from 'react'

interface TableFrameProps {
  readonly label: string
  /** The frame itself scrolls, so that a long table can show only the visible rows. */
  readonly isVirtual?: boolean
  readonly ref?: Ref<HTMLDivElement>
  readonly children: ReactNode
}

/** Frames a table that can be wider or longer than the page. The keyboard reaches it to scroll. */
export const TableFrame = ({ label, isVirtual = false, ref, children }: TableFrameProps) => (
  // biome-ignore lint/a11y/useSemanticElements: it groups no fields.
  <div
    className="table-frame"
    data-virtual={isVirtual ? '' : undefined}
    ref={ref}
    role="group"
    aria-label={label}
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard.
    tabIndex={0}
  >
    {children}
  </div>
)
