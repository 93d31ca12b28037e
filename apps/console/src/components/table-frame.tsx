import type { ReactNode, Ref } from 'react'

interface TableFrameProps {
  readonly label: string
  /** True if the frame scrolls vertically, for a long table that renders only its visible rows. */
  readonly isVirtual?: boolean
  readonly ref?: Ref<HTMLDivElement>
  readonly children: ReactNode
}

/** The frame of a table that can be wider or longer than the page. It can have the focus, so that keys scroll it. */
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
