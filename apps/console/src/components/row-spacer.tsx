/** The usual height of a row, in pixels. */
export const rowHeight = 41

/** A row with the height of rows that are not rendered. */
export const RowSpacer = ({ columns, height }: { columns: number; height: number }) =>
  height > 0 && (
    <tr className="spacer">
      <td colSpan={columns} style={{ height }} />
    </tr>
  )
