import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { addAsset, createPictures, icon, type SiteFiles } from './assets.ts'
import { findBrokenAnchors, findForeignRequests } from './checks.ts'
import { type Content, readContent } from './content.ts'
import { createDiagrams } from './diagrams.ts'
import { createHighlight } from './highlight.ts'
import { renderLayout } from './layout.ts'
import { createLinks, relativePath } from './links.ts'
import { createMarkdown } from './markdown.ts'
import { type NavigationFile, type PlacedPage, placePages } from './navigation.ts'
import { addressOf, type Page } from './page.ts'
import { readPages } from './pages.ts'
import { type SearchEntry, writeIndex } from './search.ts'

interface Site {
  readonly files: SiteFiles
  readonly index: string
  /** All reasons why the site must not be published. */
  readonly problems: readonly string[]
}

/** The parts of a site that a test can replace, to check that a problem is found. */
interface Sources {
  readonly pages: readonly Page[]
  readonly navigation: readonly NavigationFile[]
  readonly style: string
}

/** Reads the sources of the site from the repository. */
export const readSources = (root: string): Sources => ({
  pages: readPages(root),
  navigation: JSON.parse(readFileSync(join(root, 'docs/navigation.json'), 'utf8')),
  style: readFileSync(join(root, 'tools/site/src/style.css'), 'utf8'),
})

/** Creates the whole site in memory, and checks it. */
export async function makeSite(root: string, { pages, navigation, style }: Sources): Promise<Site> {
  const { placed, problems } = placePages(navigation, pages)
  const files: SiteFiles = new Map()
  const contents = await readContents(root, placed, files)
  const index = writeIndex(searchEntries(placed, contents))
  const assets = {
    style: addAsset(files, 'style.css', style),
    script: addAsset(files, 'site.js', await bundleScript(root)),
    index: addAsset(files, 'search.json', index),
    icon: addAsset(files, 'icon.svg', icon),
  }
  for (const page of placed)
    files.set(addressOf(page.source), renderLayout(page, contentOf(contents, page), placed, assets))
  return {
    files,
    index,
    problems: [
      ...problems,
      ...[...contents.values()].flatMap((content) => content.problems),
      ...findBrokenAnchors(contents),
      ...findForeignRequests(files),
    ],
  }
}

async function readContents(root: string, placed: readonly PlacedPage[], files: SiteFiles) {
  const { highlight, close } = await createHighlight()
  const render = createMarkdown(highlight, createDiagrams(files))
  const link = createLinks(root, new Set(placed.map(({ source }) => source)))
  const pictureOf = createPictures(root, files)
  const picture = (from: string, path: string) => {
    // The picture of a diagram has already been added.
    const added = files.has(path) ? path : pictureOf(from, path)
    return added && relativePath(from, added)
  }
  const contents = new Map(
    placed.map((page) => [page.source, readContent(page, render(page.markdown), { link, picture })]),
  )
  close()
  return contents
}

function contentOf(contents: ReadonlyMap<string, Content>, { source }: PlacedPage): Content {
  const content = contents.get(source)
  if (!content) throw new Error(`${source} was not read.`)
  return content
}

/** Returns an entry for each part of each page. The first part includes the line that says what the page is for. */
function searchEntries(placed: readonly PlacedPage[], contents: ReadonlyMap<string, Content>): SearchEntry[] {
  const entries = placed.flatMap((page) =>
    contentOf(contents, page).parts.map(({ anchor, heading, text }, at) => ({
      address: addressOf(page.source) + (at === 0 ? '' : `#${anchor}`),
      title: page.title,
      heading,
      keywords: at === 0 ? page.keywords : '',
      text: at === 0 ? `${page.after} ${text}` : text,
      weight: page.weight,
    })),
  )
  return entries.map((entry, id) => ({ id, ...entry }))
}

/** Returns the script of the pages as one file. */
async function bundleScript(root: string): Promise<string> {
  const bundle = await rolldown({ input: join(root, 'tools/site/src/browser/main.ts'), platform: 'browser' })
  try {
    const { output } = await bundle.generate({ format: 'esm', minify: true })
    return output[0].code
  } finally {
    await bundle.close()
  }
}
