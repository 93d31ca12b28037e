import type { ReactNode } from 'react'
import { Button as AriaButton, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components'

export interface MenuChoice {
  readonly id: string
  readonly text: string
  readonly kind?: 'plain' | 'danger'
  readonly onChoose: () => void
}

/** A button that opens a list of things to do. */
export const ChoiceMenu = ({
  label,
  children,
  choices,
}: {
  label: string
  children: ReactNode
  choices: readonly MenuChoice[]
}) => (
  <MenuTrigger>
    <AriaButton className="button" data-kind="quiet" data-size="icon" aria-label={label}>
      {children}
    </AriaButton>
    <Popover className="menu-popover" placement="bottom end">
      <Menu className="menu" aria-label={label}>
        {choices.map(({ id, text, kind = 'plain', onChoose }) => (
          <MenuItem key={id} id={id} className="menu-item" data-kind={kind} onAction={onChoose}>
            {text}
          </MenuItem>
        ))}
      </Menu>
    </Popover>
  </MenuTrigger>
)
