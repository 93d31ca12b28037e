import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import type { Selection } from './selection.ts'

interface SelectedBarProps<Row> {
  readonly selection: Selection<Row>
  /** The actions for the selected rows. */
  readonly children: ReactNode
}

/** A bar with the number of selected rows, and the actions for them. Hidden while no row is selected. */
export const SelectedBar = <Row,>({ selection: { rows, clear }, children }: SelectedBarProps<Row>) =>
  rows.length > 0 && (
    // biome-ignore lint/a11y/useSemanticElements: it groups no fields.
    <div className="selected-bar" role="group" aria-label="Selected rows">
      <span role="status">{rows.length} selected</span>
      {children}
      <Button size="small" kind="quiet" onClick={clear}>
        Clear
      </Button>
    </div>
  )
