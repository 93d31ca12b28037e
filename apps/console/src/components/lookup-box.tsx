import { useEffect, useState } from 'react'
import { ComboBox, Input, ListBox, ListBoxItem, Popover } from 'react-aria-components'
import './menu.css'

interface LookupChoice {
  readonly id: string
  readonly name: string
  /** Tells apart choices with the same name. */
  readonly note?: string
}

export interface LookupProps {
  readonly label: string
  /** The name of the choice in force; empty without one. */
  readonly chosenName: string
  readonly choices: readonly LookupChoice[]
  /** True for a text that is an ID: it is chosen as it was typed. */
  readonly isId: (text: string) => boolean
  readonly onSearch: (text: string) => void
  /** Called with the ID; empty when the field was cleared. */
  readonly onChoose: (id: string) => void
}

/** The part of the field that is loaded after the page. */
export default function LookupBox({ label, chosenName, choices, isId, onSearch, onChoose }: LookupProps) {
  const [text, setText] = useState(chosenName)
  useEffect(() => setText(chosenName), [chosenName])
  const type = (typed: string) => {
    setText(typed)
    onSearch(typed)
    if (typed === '' || isId(typed.trim())) onChoose(typed.trim())
  }
  return (
    <ComboBox
      aria-label={label}
      className="lookup"
      items={choices}
      inputValue={text}
      onInputChange={type}
      onBlur={() => setText(chosenName)}
      onSelectionChange={(id) => id !== null && onChoose(String(id))}
      allowsCustomValue
      allowsEmptyCollection
    >
      <Input className="input" placeholder={label} spellCheck={false} autoComplete="off" />
      <Popover className="menu-popover">
        <ListBox<LookupChoice>
          className="menu"
          renderEmptyState={() => (
            <span className="menu-item">{text === '' ? 'Type a name or an ID.' : 'Nothing matches.'}</span>
          )}
        >
          {({ id, name, note }) => (
            <ListBoxItem id={id} textValue={name} className="menu-item">
              <bdi>{name}</bdi>
              {note && <bdi className="quiet">{note}</bdi>}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  )
}
