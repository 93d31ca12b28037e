import MiniSearch, { type Options } from 'minisearch'
import { stemmer } from 'stemmer'

/** A part of a page in the index. */
export interface SearchEntry {
  readonly id: number
  /** Address of the part within the site. */
  readonly address: string
  readonly title: string
  readonly heading: string
  readonly keywords: string
  readonly text: string
  readonly weight: number
}

/** A page that a search found, at the part that fits best. */
export interface Hit {
  readonly address: string
  readonly title: string
  readonly heading: string
}

/** Words that occur in most questions and say nothing about their subject. */
const stopWords = new Set(
  (
    'a an and are as at be by can do does for from get has have how i if in is it its me my no not of on or our that the their ' +
    'there they this to was we what when where which who why will with you your'
  ).split(' '),
)

/** Terms of a word: `refreshSession` is found by both words, in any form of them. */
function termsOf(word: string): string[] {
  const words = word
    .replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, ' ')
    .toLowerCase()
    .split(' ')
  return words.filter((one) => !stopWords.has(one)).map(stemmer)
}

/** The build and the browser use the same options: they are not part of the stored index. */
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

/** Opens the text of an index, and returns a search that lists each page once, best first. */
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
