import type { ReactNode } from 'react'

interface SelectBoxProps {
  /** The name of the checkbox for screen readers. */
  readonly label: string
  readonly isOn: boolean
  /** Called when the user clicks the checkbox. Without it, there is no checkbox. */
  readonly onToggle: (() => void) | undefined
  readonly children: ReactNode
}

/** A checkbox that selects a row, or all rows, in front of the content of its cell. */
export const SelectBox = ({ label, isOn, onToggle, children }: SelectBoxProps) =>
  onToggle ? (
    <span className="with-select">
      <input type="checkbox" aria-label={label} checked={isOn} onChange={onToggle} />
      {children}
    </span>
  ) : (
    children
  )
