import type { IncomingHttpHeaders } from 'node:http'
import { type Answer, redirect } from '#platform/http/answer'
import { ApiError } from '#platform/http/api-error'
import { notBuilt } from '#platform/http/not-built'
import { createPublicDocument } from '#platform/http/public-document'
import type { Router } from '#platform/http/router'
import type { Callers } from '../../callers/callers.ts'
import type { SiteFile } from './site-files.ts'

/**
 * The content security policy of the site. It permits nothing from other origins, no inline script or style, no text
 * that becomes a script, and no embedding in a frame.
 */
const sitePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const root = '/docs/'

type Headers = IncomingHttpHeaders

/** Registers the documentation site under `/docs/`. */
export function siteRoutes({ page }: Pick<Router<Callers>, 'page'>, files: ReadonlyMap<string, SiteFile>) {
  const response = createSite(files)
  page('/docs', {}, () => redirect(root))
  page(root, {}, ({ headers }) => response('', headers))
  page('/docs/*', {}, ({ raw }) => response(pathOf(raw.url ?? ''), raw.headers))
}

const pathOf = (url: string) => url.split('?', 1)[0]?.slice(root.length) ?? ''

/**
 * Creates the function that responds to a path within the site. A path that ends in a slash means the page of this
 * folder. If the site was not built, every path returns a page that says how to build it.
 *
 * The function throws NOT_FOUND for an unknown path.
 */
export function createSite(files: ReadonlyMap<string, SiteFile>) {
  const documents = new Map([...files].map(([path, file]) => [path, documentOf(path, file)]))
  return async (path: string, headers: Headers): Promise<Answer> => {
    if (documents.size === 0) return answerNotBuilt()
    const document = documents.get(path === '' || path.endsWith('/') ? `${path}index.html` : path)
    if (!document) throw new ApiError('NOT_FOUND')
    return document(headers)
  }
}

/**
 * Creates the response for a file. Files in `assets` have a digest of their content in their names, so browsers may
 * cache them forever. All others can change with a release.
 */
const documentOf = (path: string, { type, read }: SiteFile) =>
  createPublicDocument(
    {
      'content-type': type,
      'cache-control': path.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
      ...(path.endsWith('.html') && {
        'content-security-policy': sitePolicy,
        'cross-origin-opener-policy': 'same-origin',
      }),
    },
    read,
  )

const answerNotBuilt = notBuilt({
  title: 'The documentation is not built',
  paragraphs: [
    'This service was started from a folder without the documentation site. Run npm run docs:site, and start the service again.',
  ],
  link: { href: '/api/docs', text: 'Open the API reference' },
})
