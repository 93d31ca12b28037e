import { type Hit, openIndex } from '../search.ts'

// The script of each page. It adds the search, and folds the menu on narrow screens. Pages also work without it.

const maxHits = 12

const find = <E extends Element>(selector: string): E => {
  const found = document.querySelector<E>(selector)
  if (!found) throw new Error(`The page has no ${selector}.`)
  return found
}

const button = find<HTMLButtonElement>('button.search')
const dialog = find<HTMLDialogElement>('dialog.search')
const input = find<HTMLInputElement>('dialog.search input')
const status = find<HTMLElement>('dialog.search [role="status"]')
const list = find<HTMLOListElement>('dialog.search ol')
const indexUrl = new URL(find<HTMLElement>('script[data-index]').dataset['index'] ?? '', document.baseURI)
/** The address of the site's root, to which the addresses of hits are relative. The index is in its folder `assets`. */
const siteUrl = new URL('../', indexUrl)

let index: Promise<(query: string) => readonly Hit[]> | undefined

/** Loads the index of the search, once. Called when the reader first opens the search. */
function loadIndex() {
  index ??= fetch(indexUrl)
    .then((response) => (response.ok ? response.text() : Promise.reject(new Error(`${response.status}`))))
    .then(openIndex)
    .catch((error: unknown) => {
      index = undefined
      throw error
    })
  return index
}

function openSearch() {
  if (!dialog.open) dialog.showModal()
  input.select()
  void showHits()
}

async function showHits() {
  const query = input.value.trim()
  if (query === '') return show('', [])
  try {
    const search = await loadIndex()
    // Ignores the result if the reader has continued to type while the index was loading.
    if (query !== input.value.trim()) return
    const hits = search(query)
    show(countText(hits.length), hits.slice(0, maxHits))
  } catch {
    show('The search could not be loaded. Check the connection and type again.', [])
  }
}

function countText(count: number): string {
  if (count === 0) return 'No page has these words. Try others.'
  return count > maxHits
    ? `The best ${maxHits} of ${count} pages`
    : `${count} ${count === 1 ? 'page' : 'pages'}`
}

function show(text: string, hits: readonly Hit[]) {
  status.textContent = text
  list.replaceChildren(...hits.map(renderHit))
}

function renderHit({ address, title, heading }: Hit): HTMLLIElement {
  const item = document.createElement('li')
  const link = document.createElement('a')
  link.href = new URL(address, siteUrl).href
  link.textContent = title
  if (heading !== title) {
    const part = document.createElement('span')
    part.textContent = heading
    link.append(part)
  }
  item.append(link)
  return item
}

/** Moves the focus between the field and the hits, for the arrow keys. */
function moveFocus(event: KeyboardEvent) {
  const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 }
  const step = steps[event.key]
  if (step === undefined) return
  const stops: HTMLElement[] = [input, ...list.querySelectorAll('a')]
  const at = stops.findIndex((stop) => stop.matches(':focus'))
  event.preventDefault()
  stops[Math.max(0, Math.min(stops.length - 1, at + step))]?.focus()
}

function followFirst(event: SubmitEvent) {
  // Enter in the field opens the first hit. It submits the form without a click on the button that closes the dialog.
  const first = list.querySelector('a')
  if (document.activeElement !== input || !first) return
  event.preventDefault()
  first.click()
}

button.hidden = false
button.addEventListener('click', openSearch)
input.addEventListener('input', () => void showHits())
dialog.addEventListener('keydown', moveFocus)
dialog.querySelector('form')?.addEventListener('submit', followFirst)
// Closes the dialog after a click on a hit, because a link to another part of the same page does not load a page.
list.addEventListener('click', () => dialog.close())
document.addEventListener('keydown', (event) => {
  const isTyping = event.target instanceof HTMLInputElement
  const isPlain = event.key === '/' && !event.ctrlKey && !event.metaKey && !event.altKey
  if (isTyping || !isPlain) return
  event.preventDefault()
  openSearch()
})

/** Matches narrow screens, on which the menu is folded above the text. On wide screens, it is beside the text. */
const narrow = matchMedia('(max-width: 59.99rem)')
const foldMenu = () => {
  find<HTMLDetailsElement>('.menu').open = !narrow.matches
}
foldMenu()
narrow.addEventListener('change', foldMenu)
document.querySelector('.pages [aria-current]')?.scrollIntoView({ block: 'nearest' })
