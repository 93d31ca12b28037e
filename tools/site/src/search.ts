import MiniSearch, { type Options } from 'minisearch'
import { stemmer } from 'stemmer'

/** An entry of the index: a part of a page. */
export interface SearchEntry {
  readonly id: number
  /** The address of the part within the site. */
  readonly address: string
  readonly title: string
  readonly heading: string
  readonly keywords: string
  readonly text: string
  readonly weight: number
}

/** A page that a search found, with the part that matches best. */
export interface Hit {
  readonly address: string
  readonly title: string
  readonly heading: string
}

/** The words that the search ignores. They occur in most questions, and say nothing about the subject. */
const stopWords = new Set(
  (
    'a an and are as at be by can do does for from get has have how i if in is it its me my no not of on or our that the their ' +
    'there they this to was we what when where which who why will with you your'
  ).split(' '),
)

/** Returns the terms of a word for the index. `refreshSession` is found by both of its words, in any form. */
function termsOf(word: string): string[] {
  const words = word
    .replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, ' ')
    .toLowerCase()
    .split(' ')
  return words.filter((one) => !stopWords.has(one)).map(stemmer)
}

/**
 * The options of the index. The build and the browser must use the same, because the stored index does not contain
 * them.
 */
const options: Options<SearchEntry> = {
  fields: ['title', 'heading', 'keywords', 'text'],
  storeFields: ['address', 'title', 'heading', 'weight'],
  processTerm: termsOf,
  searchOptions: {
    boost: { title: 2, heading: 2, keywords: 2 },
    prefix: (term) => term.length > 2,
    fuzzy: (term) => (term.length > 5 ? 0.2 : false),
    boostDocument: (_id, _term, stored) => Number(stored?.['weight'] ?? 1),
  },
}

/** Returns the index as the text of a file. */
export function writeIndex(entries: readonly SearchEntry[]): string {
  const index = new MiniSearch(options)
  index.addAll(entries)
  return JSON.stringify(index)
}

/** Opens an index from its text. Returns a search function that lists each page once, best first. */
export function openIndex(text: string): (query: string) => readonly Hit[] {
  const index = MiniSearch.loadJSON<SearchEntry>(text, options)
  return (query) => {
    const pages = new Map<string, Hit>()
    for (const { address, title, heading } of index.search(query)) {
      const [page = ''] = address.split('#', 1)
      if (!pages.has(page)) pages.set(page, { address, title, heading })
    }
    return [...pages.values()]
  }
}
