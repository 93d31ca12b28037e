import { type Hit, openIndex } from '../search.ts'

// The page works without this script: it adds the search, and folds the menu on narrow screens.

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
/** Hits name pages from the root of the site, which has the index in its folder `assets`. */
const siteUrl = new URL('../', indexUrl)

let index: Promise<(query: string) => readonly Hit[]> | undefined

/** Loads the index when the search is first opened. */
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
    // The reader may have typed on while the index loaded.
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

/** Moves between the field and the hits with the arrow keys. */
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
  // The button that closes is a submitter; Enter in the field submits without a click on it.
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
// A link to another part of the same page keeps the page.
list.addEventListener('click', () => dialog.close())
document.addEventListener('keydown', (event) => {
  const isTyping = event.target instanceof HTMLInputElement
  const isPlain = event.key === '/' && !event.ctrlKey && !event.metaKey && !event.altKey
  if (isTyping || !isPlain) return
  event.preventDefault()
  openSearch()
})

/** The menu is beside the text on wide screens, and folded above it on narrow ones. */
const narrow = matchMedia('(max-width: 59.99rem)')
const foldMenu = () => {
  find<HTMLDetailsElement>('.menu').open = !narrow.matches
}
foldMenu()
narrow.addEventListener('change', foldMenu)
document.querySelector('.pages [aria-current]')?.scrollIntoView({ block: 'nearest' })
