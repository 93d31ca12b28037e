import type { AdminProfile } from '@rolecall/sdk/admin'
import { newestKey, olderKey } from '../components/page-keys.ts'
import { shownPeriod } from '../components/page-period.ts'
import { localText, periodText, readPeriod } from '../components/period-text.ts'

/** A shortcut that works unless the user is typing: one key, or two in sequence, separated by a space. */
export interface Key {
  readonly key: string
  readonly text: string
  readonly run: (event: KeyboardEvent) => void
}

interface Steps {
  readonly go: (to: string) => void
  readonly showKeys: () => void
  readonly say: (text: string) => void
}

/** Returns the single-key shortcuts, both for the handler and for the list on the screen. */
export const keysOf = ({ isSystemAdmin }: AdminProfile, { go, showKeys, say }: Steps): readonly Key[] => [
  { key: '/', text: 'Search this page', run: focusSearch },
  ...(isSystemAdmin ? [{ key: 'c', text: 'New project', run: () => go('/projects/new') }] : []),
  { key: 'j', text: 'Next row', run: () => stepRow(1) },
  { key: 'k', text: 'Previous row', run: () => stepRow(-1) },
  { key: newestKey, text: 'Previous page, or newest', run: () => turnPage(newestKey) },
  { key: olderKey, text: 'Next page, or older', run: () => turnPage(olderKey) },
  { key: 't c', text: 'Copy the period of this page', run: () => void copyPeriod(say) },
  { key: 't v', text: 'Paste a period', run: () => void pastePeriod(say) },
  { key: '?', text: 'Keyboard shortcuts', run: showKeys },
]

function stepRow(step: number) {
  const links = [...document.querySelectorAll<HTMLElement>('main .row-link')]
  const at = links.indexOf(document.activeElement as HTMLElement)
  links[
    at < 0 ? (step > 0 ? 0 : links.length - 1) : Math.min(links.length - 1, Math.max(0, at + step))
  ]?.focus()
}

function focusSearch(event: KeyboardEvent) {
  const search = document.querySelector<HTMLElement>('main [type="search"]')
  if (!search) return
  event.preventDefault()
  search.focus()
}

/**
 * Turns a page of a list by pressing its button. If the page has several lists, the first one with such a button turns.
 */
function turnPage(key: string) {
  const buttons = [...document.querySelectorAll<HTMLButtonElement>('main .pager button')]
  buttons.find((button) => button.getAttribute('aria-keyshortcuts') === key && !button.disabled)?.click()
}

/** Copies the period with its time zone, so that it means the same moments wherever it is pasted. */
async function copyPeriod(say: Steps['say']) {
  const page = shownPeriod()
  if (!page) return say('This page has no period.')
  try {
    await navigator.clipboard.writeText(periodText(page.period, new Date()))
    say('The period is copied.')
  } catch {
    say('The browser blocked the copy. Allow access to the clipboard.')
  }
}

async function pastePeriod(say: Steps['say']) {
  const page = shownPeriod()
  if (!page) return say('This page has no period.')
  const text = await navigator.clipboard.readText().catch(() => '')
  const period = readPeriod(text)
  if (!period)
    return say(
      'The clipboard contains no period. A period is two times with a time zone, separated by a slash.',
    )
  page.show(localText(period.from), localText(period.to))
}

const settingName = 'rolecall-single-keys'

/**
 * Returns true unless the user has turned single keys off. Users of speech input, or with unsteady hands, may press
 * them by mistake.
 */
export function areKeysOn(): boolean {
  try {
    return localStorage.getItem(settingName) !== 'off'
  } catch {
    return true
  }
}

/** Turns the single-key shortcuts on or off in this browser. */
export function turnKeys(isOn: boolean): void {
  try {
    if (isOn) localStorage.removeItem(settingName)
    else localStorage.setItem(settingName, 'off')
  } catch {
    // The browser does not allow storage, so the keys stay on.
  }
}
