import type { SiteFiles } from './assets.ts'
import type { Content } from './content.ts'

/** Returns a problem for each link to an anchor that does not exist on its page. */
export function findBrokenAnchors(contents: ReadonlyMap<string, Content>): readonly string[] {
  return [...contents].flatMap(([from, { links }]) =>
    links
      .filter(({ source, anchor }) => anchor && !contents.get(source)?.anchors.has(anchor))
      .map(({ source, anchor }) => `${from} links to ${source}#${anchor}, but that page has no such anchor.`),
  )
}

const inPages = /<(?!a\b)[a-z]+\b[^>]*?\s(?:src|srcset|href|action|data-index)="((?:\w+:)?\/\/[^"]*)/g
const inStyles = /(?:url\(|@import\s)\s*["']?((?:\w+:)?\/\/[^"')]*)/g

/** Returns a problem for each request that a page would send to another origin when it loads. Links do not count. */
export function findForeignRequests(files: SiteFiles): readonly string[] {
  return [...files].flatMap(([path, content]) => {
    const pattern = path.endsWith('.html') ? inPages : /\.(css|svg)$/.test(path) ? inStyles : undefined
    if (!pattern) return []
    return [...content.toString().matchAll(pattern)].map(([, address]) => `${path} requests ${address}.`)
  })
}
