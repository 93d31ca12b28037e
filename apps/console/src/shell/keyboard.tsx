import type { AdminProfile } from '@rolecall/sdk/admin'
import { useNavigate } from '@tanstack/react-router'
import { lazy, type RefObject, Suspense, useEffect, useMemo, useRef, useState } from 'react'
import { useToast } from '../components/toast.tsx'
import { areKeysOn, keysOf } from './keys.ts'
import { fileOf } from './page-file.tsx'
import { placesOf } from './places.ts'

const Palette = lazy(fileOf(() => import('./palette.tsx')))
const KeysDialog = lazy(fileOf(() => import('./keys-dialog.tsx')))

const openEvent = 'rolecall-open-palette'

/** Opens the palette: the field that searches everything. */
export const openPalette = () => dispatchEvent(new Event(openEvent))

/** The time, in milliseconds, in which a second key completes a sequence: after `g` (go to) or `t` (time range). */
const sequenceMs = 1_200

/** Handles the shortcuts that work everywhere except in fields: the palette, navigation, and the keys of `keys.ts`. */
export function Keyboard({ profile }: { profile: AdminProfile }) {
  const [opened, setOpened] = useState<'palette' | 'keys'>()
  const typed = useRef('')
  const navigate = useNavigate()
  const say = useToast()
  const keys = useMemo(
    () => keysOf(profile, { go: (to) => void navigate({ to }), showKeys: () => setOpened('keys'), say }),
    [navigate, profile, say],
  )
  useEffect(() => {
    const open = () => setOpened('palette')
    let first: { readonly key: string; readonly at: number } | undefined
    const press = (event: KeyboardEvent) => {
      if (
        event.key.toLowerCase() === 'k' &&
        (event.metaKey || event.ctrlKey) &&
        !event.shiftKey &&
        !event.altKey
      ) {
        event.preventDefault()
        setOpened((before) => (before === 'palette' ? undefined : 'palette'))
        return
      }
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target) || isAsking()) return
      if (!areKeysOn()) return
      const before = first !== undefined && Date.now() - first.at < sequenceMs ? first.key : undefined
      first = undefined
      if (before === 'g') {
        const place = placesOf(profile).find(({ key }) => key === event.key)
        if (place) void navigate({ to: place.to })
        return
      }
      if (before === undefined && (event.key === 'g' || event.key === 't')) {
        first = { key: event.key, at: Date.now() }
        return
      }
      const pressed = before === undefined ? event.key : `${before} ${event.key}`
      keys.find(({ key }) => key === pressed)?.run(event)
    }
    addEventListener('keydown', press)
    addEventListener(openEvent, open)
    return () => {
      removeEventListener('keydown', press)
      removeEventListener(openEvent, open)
    }
  }, [navigate, profile, keys])
  const close = () => setOpened(undefined)
  return opened === undefined ? null : (
    <Suspense fallback={<EarlyKeys typed={typed} />}>
      {opened === 'palette' ? (
        <Palette typedBefore={typed} profile={profile} onClose={close} onKeys={() => setOpened('keys')} />
      ) : (
        <KeysDialog keys={keys} places={placesOf(profile)} onClose={close} />
      )}
    </Suspense>
  )
}

/** Records keys that are typed while the palette loads, so that its search field can start with them. */
function EarlyKeys({ typed }: { typed: RefObject<string> }) {
  useEffect(() => {
    typed.current = ''
    const keep = (event: KeyboardEvent) => {
      if (event.metaKey || event.ctrlKey || event.altKey || [...event.key].length !== 1) return
      typed.current += event.key
      // Prevents the page from handling the key as a shortcut.
      event.preventDefault()
      event.stopImmediatePropagation()
    }
    addEventListener('keydown', keep, { capture: true })
    return () => removeEventListener('keydown', keep, { capture: true })
  }, [typed])
  return null
}

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

/** Returns true while a dialog is open. It handles keys itself. */
const isAsking = () => document.querySelector('[role="dialog"], [role="alertdialog"]') !== null
