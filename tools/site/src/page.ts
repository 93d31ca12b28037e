/** A page of the site before it has a place in the navigation. */
export interface Page {
  /**
   * The path of the Markdown file from the root of the repository. For a generated page, the path that it would have.
   */
  readonly source: string
  readonly markdown: string
  /** The chapter of the API reference, for the page of an endpoint. */
  readonly chapter: string | undefined
  /** More words by which the search finds the page, besides its text. */
  readonly keywords: string
}

/** Returns the first heading as plain text. */
export function titleOf({ source, markdown }: Page): string {
  const [, title] = /^# +(.+)$/m.exec(markdown) ?? []
  if (title === undefined) throw new Error(`${source} has no heading of the first level.`)
  return title.replaceAll(/`|\*\*/g, '').trim()
}

/** Returns the address of a page within the site: `docs/guides/running.md` becomes `guides/running.html`. */
export function addressOf(source: string): string {
  const path = source.replace(/^docs\//, '')
  if (source === 'README.md') return 'readme.html'
  if (source === 'SECURITY.md') return 'vulnerabilities.html'
  if (/^(packages|clients)\//.test(path)) return path.replace(/\/README\.md$/, '.html')
  return path
    .replace(/README\.md$/, 'index.md')
    .replace(/\.md$/, '.html')
    .replace(/^[A-Z]+\.html$/, lower)
}

const lower = (name: string) => name.toLowerCase()
