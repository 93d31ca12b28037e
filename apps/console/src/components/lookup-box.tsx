import { useEffect, useRef, useState } from 'react'
import { ComboBox, Input, ListBox, ListBoxItem, Popover } from 'react-aria-components'
import './menu.css'

interface LookupChoice {
  readonly id: string
  readonly name: string
  /** A note that tells choices with the same name apart. */
  readonly note?: string
}

/** The properties of a field that finds something by its name or takes its ID. */
export interface LookupProps {
  readonly label: string
  /** The name of the current choice. Empty if there is none. */
  readonly chosenName: string
  readonly choices: readonly LookupChoice[]
  /** Returns true if a typed text is an ID, which is then chosen as it is. */
  readonly isId: (text: string) => boolean
  readonly onSearch: (text: string) => void
  /** Called with the ID of the choice. It is empty if the user cleared the field. */
  readonly onChoose: (id: string) => void
}

interface LookupBoxProps extends LookupProps {
  /** Text that was typed before this part was loaded. */
  readonly typed: string | undefined
  readonly autoFocus: boolean
}

/** The field with its list, which is loaded when the field gets the focus. */
export function LookupBox(props: LookupBoxProps) {
  const { label, chosenName, choices, isId, onSearch, onChoose, typed: early, autoFocus } = props
  const [text, setText] = useState(chosenName)
  useEffect(() => setText(chosenName), [chosenName])
  const type = (typed: string) => {
    setText(typed)
    onSearch(typed)
    if (typed === '' || isId(typed.trim())) onChoose(typed.trim())
  }
  const input = useRef<HTMLInputElement>(null)
  // A change of the text opens the list. Otherwise the next letter replaces the text, as after Tab.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text from before counts once.
  useEffect(() => {
    if (early !== undefined) type(early)
    else if (autoFocus) input.current?.select()
  }, [])
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
      <Input
        ref={input}
        autoFocus={autoFocus}
        className="input"
        placeholder={label}
        spellCheck={false}
        autoComplete="off"
      />
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
