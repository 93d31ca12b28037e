import type { AdminProfile } from '@rolecall/sdk/admin'
import { useNavigate } from '@tanstack/react-router'
import { type RefObject, useEffect, useState } from 'react'
import {
  Autocomplete,
  Dialog,
  Input,
  Menu,
  MenuItem,
  Modal,
  ModalOverlay,
  SearchField,
  useFilter,
} from 'react-aria-components'
import { logOut } from '../api/session.ts'
import { Icon, type IconName } from '../components/icon.tsx'
import { placesOf } from './places.ts'
import { useFound } from './use-found.ts'
import '../components/dialog.css'
import '../components/menu.css'
import './palette.css'

interface Entry {
  readonly id: string
  readonly text: string
  readonly note: string
  readonly icon: IconName
  readonly run: () => void
}

interface PaletteProps {
  /** Text that was typed while the palette loaded. */
  readonly typedBefore: RefObject<string>
  readonly profile: AdminProfile
  readonly onClose: () => void
  readonly onKeys: () => void
}

/** The palette: a search field that opens pages, projects, members, and keys, and runs actions. */
export default function Palette({ typedBefore, profile, onClose, onKeys }: PaletteProps) {
  const navigate = useNavigate()
  const [typed, setTyped] = useState(() => typedBefore.current)
  useEffect(() => {
    typedBefore.current = ''
  }, [typedBefore])
  const { contains } = useFilter({ sensitivity: 'base' })
  const { found, isAsking } = useFound(profile, typed)
  const go = (to: string) => () => void navigate({ to })

  const fixed: readonly Entry[] = [
    ...placesOf(profile).map(({ to, text, icon, key }) => ({
      id: to,
      text,
      icon,
      note: `g ${key}`,
      run: go(to),
    })),
    ...(profile.isSystemAdmin
      ? [
          {
            id: 'new-project',
            text: 'New project',
            note: 'c',
            icon: 'plus' as const,
            run: go('/projects/new'),
          },
        ]
      : []),
    { id: 'keys', text: 'Keyboard shortcuts', note: '?', icon: 'about', run: onKeys },
    { id: 'log-out', text: 'Sign out', note: '', icon: 'out', run: () => void logOut() },
  ]
  const entries: readonly Entry[] = [
    ...fixed.filter(({ text }) => contains(text, typed)),
    ...found.map(({ to, ...entry }) => ({ ...entry, run: go(to) })),
  ]
  const run = (id: unknown) => {
    onClose()
    entries.find((entry) => entry.id === id)?.run()
  }

  return (
    <ModalOverlay
      className="overlay palette-overlay"
      isOpen
      isDismissable
      onOpenChange={(open) => !open && onClose()}
    >
      <Modal className="modal palette">
        <Dialog aria-label="Command palette" className="palette-dialog">
          <Autocomplete inputValue={typed} onInputChange={setTyped}>
            <SearchField
              aria-label="Search members, projects, keys, pages, and actions"
              autoFocus
              className="palette-search"
              onKeyDown={(event) => {
                // Without this, the first Escape would only clear the field, and the second would close the palette.
                if (event.key === 'Escape') onClose()
              }}
            >
              <Icon name="search" />
              <Input placeholder="Find a member, project, page, or action" />
            </SearchField>
            <Menu
              aria-label="Results"
              className="palette-list"
              items={entries}
              onAction={run}
              renderEmptyState={() => (
                <p className="palette-empty">{isAsking ? 'Searching…' : 'No results.'}</p>
              )}
            >
              {({ id, text, note, icon }) => (
                <MenuItem id={id} textValue={text} className="menu-item">
                  <Icon name={icon} size={14} />
                  <bdi className="palette-text">{text}</bdi>
                  {note && <kbd>{note}</kbd>}
                </MenuItem>
              )}
            </Menu>
          </Autocomplete>
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}
