interface ChoiceProps {
  readonly label: string
  readonly value: string
  /** What may be chosen, each with what it is called. */
  readonly options: Readonly<Record<string, string>>
  /** What it is called when nothing is chosen; without it something always is. */
  readonly all?: string
  readonly onChoose: (value: string) => void
  /** In the head of a panel there is less room. */
  readonly isSmall?: boolean
}

/** Narrows or changes what is shown to one of a few. */
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

/** Records to choose among, by their ids. */
export const byId = (records: readonly { readonly id: string; readonly name: string }[] = []) =>
  Object.fromEntries(records.map(({ id, name }) => [id, name]))
