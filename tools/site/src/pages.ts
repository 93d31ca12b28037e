import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { endpointList, endpointPages, linkEndpoints } from './endpoint-pages.ts'
import type { Page } from './page.ts'

/** The pages outside `docs` that belong to the site. */
const files = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', 'clients/python/README.md']

/** Returns every page: the Markdown files of the repository that readers need, and one page for each endpoint. */
export function readPages(root: string): readonly Page[] {
  const inDocs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .map((name) => `docs/${name.replaceAll('\\', '/')}`)
    .filter((name) => name.endsWith('.md') && !name.startsWith('docs/dist/'))
  const packages = readdirSync(join(root, 'packages'))
    .map((name) => `packages/${name}/README.md`)
    .filter((name) => existsSync(join(root, name)))
  const sources = [...files, ...packages, ...inDocs.toSorted()]
  const read = sources.map((source) => ({
    source,
    markdown: readMarkdown(root, source),
    chapter: undefined,
    keywords: '',
  }))
  return [...read, ...endpointPages()]
}

function readMarkdown(root: string, source: string): string {
  const markdown = readFileSync(join(root, source), 'utf8')
  return source === endpointList ? linkEndpoints(markdown) : markdown
}
