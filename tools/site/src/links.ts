import { existsSync, statSync } from 'node:fs'
import { join, posix } from 'node:path'
import { endpointList, endpointSources } from './endpoint-pages.ts'
import { addressOf } from './page.ts'

/** A link of a page, as the site shows it. */
export interface ResolvedLink {
  readonly href: string
  /** The page of the site to which the link leads, with the anchor. Undefined for a link that leaves the site. */
  readonly to?: { readonly source: string; readonly anchor: string | undefined }
  readonly problem?: string
}

const repository = 'https://github.com/rolecall/rolecall'

/** Resolves the links of pages. A link to a file that is not a page leads to the repository. */
export function createLinks(root: string, sources: ReadonlySet<string>) {
  return (from: string, href: string): ResolvedLink => {
    if (/^(https?:|mailto:)/.test(href)) return { href }
    if (/^(\w+:|\/)/.test(href))
      return { href, problem: `${from} links to ${href}, which is no address of a page` }
    const [path = '', anchor] = href.split('#', 2)
    const target = path === '' ? from : posix.join(posix.dirname(from), decodeURI(path)).replace(/\/$/, '')
    const page = pageAt(target, anchor, sources)
    if (page)
      return { href: relativeAddress(from, page.source) + (page.anchor ? `#${page.anchor}` : ''), to: page }
    if (target.startsWith('..') || !existsSync(join(root, target)))
      return { href, problem: `${from} links to ${href}, which does not exist` }
    const kind = statSync(join(root, target)).isDirectory() ? 'tree' : 'blob'
    return { href: `${repository}/${kind}/main/${target}${anchor === undefined ? '' : `#${anchor}`}` }
  }
}

/**
 * Returns the page for a path and an anchor. A link to a row of the list of endpoints leads to the endpoint's own page.
 */
function pageAt(
  target: string,
  anchor: string | undefined,
  sources: ReadonlySet<string>,
): ResolvedLink['to'] {
  const endpoint = target === endpointList ? endpointSources.get(anchor ?? '') : undefined
  if (endpoint !== undefined) return { source: endpoint, anchor: undefined }
  const source = [target, `${target}/README.md`].find((one) => sources.has(one))
  return source === undefined ? undefined : { source, anchor }
}

/** Returns the relative address of a page for a link on another page, so that the site works below any path. */
export const relativeAddress = (from: string, to: string): string => relativePath(from, addressOf(to))

/** Returns the relative address of a file of the site for a link on a page. */
export const relativePath = (from: string, path: string): string =>
  posix.relative(posix.dirname(addressOf(from)), path)
