import { type Page, titleOf } from './page.ts'

/**
 * A row of `docs/navigation.json`. `for` and `after` complete the line "For … Afterwards you can …". `after` may
 * contain `{title}`.
 */
interface Told {
  readonly for: string
  readonly after: string
  /** The short name of the page in lists. By default, it is the heading. */
  readonly label?: string
  /**
   * The part of the page that the search finds: all text by default, or only headings, for a page that is a long table.
   */
  readonly search?: 'headings'
  /** The weight of the page in search results. Overrides the weight of its section. */
  readonly weight?: number
}
type Item =
  | (Told & { readonly page: string })
  | (Told & { readonly folder: string; readonly title: string })
  | (Told & { readonly endpoints: true })

export interface NavigationFile {
  readonly title: string
  readonly weight: number
  readonly items: readonly Item[]
}

/** A page with its place in the navigation. */
export interface PlacedPage extends Page {
  readonly title: string
  readonly label: string
  readonly section: string
  /** The title of the folded list within the section. Undefined for a page that is directly in the section. */
  readonly group: string | undefined
  readonly for: string
  readonly after: string
  readonly weight: number
  readonly searchesText: boolean
}

/**
 * Assigns each page to its place, in reading order. Reports pages without a place or with several, places without a
 * page, and places that do not say who the page is for.
 */
export function placePages(
  sections: readonly NavigationFile[],
  pages: readonly Page[],
): { readonly placed: readonly PlacedPage[]; readonly problems: readonly string[] } {
  const problems: string[] = []
  const placed = sections.flatMap((section) =>
    section.items.flatMap((item) => {
      const found = pagesOf(item, pages)
      if (found.length === 0) problems.push(`docs/navigation.json names ${nameOf(item)}, which has no page.`)
      if (!item.for?.trim() || !item.after?.trim())
        problems.push(`${nameOf(item)} does not say who it is for and what they can do afterwards.`)
      return found.map((page) => placePage(section, item, page))
    }),
  )
  for (const { source } of pages) {
    const places = placed.filter((one) => one.source === source).length
    if (places === 0) problems.push(`${source} is an orphan: docs/navigation.json does not name it.`)
    if (places > 1) problems.push(`${source} has ${places} places in docs/navigation.json.`)
  }
  return { placed, problems }
}

const nameOf = (item: Item) => ('page' in item ? item.page : 'folder' in item ? item.folder : 'the endpoints')

function pagesOf(item: Item, pages: readonly Page[]): readonly Page[] {
  if ('page' in item) return pages.filter(({ source }) => source === item.page)
  if ('endpoints' in item) return pages.filter(({ chapter }) => chapter !== undefined)
  const inFolder = pages.filter(({ source }) => source.startsWith(`${item.folder}/`))
  return inFolder.toSorted((a, b) => Number(isIndex(b)) - Number(isIndex(a)))
}

const isIndex = ({ source }: Page) => source.endsWith('/README.md')

function placePage(section: NavigationFile, item: Item, page: Page): PlacedPage {
  const title = titleOf(page)
  return {
    ...page,
    title,
    label: item.label ?? title,
    section: section.title,
    group: page.chapter ?? ('folder' in item ? item.title : undefined),
    for: item.for,
    after: item.after?.replace('{title}', title),
    weight: item.weight ?? section.weight,
    searchesText: item.search !== 'headings',
  }
}
