interface ChoiceProps {
  readonly label: string
  readonly value: string
  /** The options, from value to label. */
  readonly options: Readonly<Record<string, string>>
  /** The label of the empty option. Without it, an option is always chosen. */
  readonly all?: string
  readonly onChoose: (value: string) => void
  /** True for a smaller select, in the head of a panel. */
  readonly isSmall?: boolean
}

/** A select that filters or changes the view. */
export const Choice = ({ label, value, options, all, onChoose, isSmall = false }: ChoiceProps) => (
  <select
    className={isSmall ? 'input range' : 'input'}
    aria-label={label}
    value={value}
    onChange={({ target }) => onChoose(target.value)}
  >
    {all !== undefined && <option value="">{all}</option>}
    {Object.entries(options).map(([option, text]) => (
      <option key={option} value={option}>
        {text}
      </option>
    ))}
  </select>
)

/** Returns records as options, from ID to name. */
export const byId = (records: readonly { readonly id: string; readonly name: string }[] = []) =>
  Object.fromEntries(records.map(({ id, name }) => [id, name]))
