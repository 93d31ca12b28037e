import { Answer, redirect } from '#platform/http/answer'
import { ApiError } from '#platform/http/api-error'
import { chooseEncoding } from '#platform/http/encodings'
import { notBuilt } from '#platform/http/not-built'
import { createPublicDocument } from '#platform/http/public-document'
import type { Router } from '#platform/http/router'
import type { Callers } from '../../callers/callers.ts'
import { type Built, openBuilt } from './built-files.ts'

/**
 * The content security policy of the console. It permits nothing from other origins, no text that becomes a script, and
 * no embedding in a frame.
 */
export const consolePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

/** Requests for the console are rejected last under load, because administrators need it during an incident. */
const terms = { refusedUnderPressure: 'last' } as const

interface ConsoleOptions {
  /** True if this service serves the documentation site. The console then links to it, and not to the repository. */
  readonly hasSite: boolean
}

/** Registers the console: the same page for every address under `/console/`, and the built files under their names. */
export function consoleRoutes(
  { page: serve }: Pick<Router<Callers>, 'page'>,
  { hasSite }: ConsoleOptions,
  { page, asset }: Built = openBuilt(),
) {
  const built = page()
  const html = hasSite ? built && withSite(built) : built
  const application = html === undefined ? answerNotBuilt : createPublicDocument(pageHeaders, () => html)
  serve('/console', terms, () => redirect('/console/'))
  serve('/console/', terms, ({ headers }) => application(headers))
  serve('/console/*', terms, ({ raw }) => {
    const [path = ''] = (raw.url ?? '').split('?', 1)
    const name = path.startsWith(assets) ? path.slice(assets.length) : undefined
    if (name === undefined) return application(raw.headers)
    const file = asset(name)
    if (!file) throw new ApiError('NOT_FOUND')
    const { encoding, bytes } = chooseEncoding(file.spellings, raw.headers['accept-encoding'])
    return new Answer(200, bytes(), {
      'content-type': file.type,
      ...(encoding !== 'identity' && { 'content-encoding': encoding }),
      vary: 'accept-encoding',
      // The name of a file contains a digest of its content, so the file never changes.
      'cache-control': 'public, max-age=31536000, immutable',
    })
  })
}

const assets = '/console/assets/'

/** Makes the page of the console link to the documentation of this service instead of the repository. */
export const withSite = (page: string): string =>
  page.replace(/(<meta name="rolecall-docs" content=")[^"]*/, '$1/docs/*.html')

/** The headers of the page. It must not be cached, because it names the files of this release. */
const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': consolePolicy,
  'cross-origin-opener-policy': 'same-origin',
}

const answerNotBuilt = notBuilt({
  title: 'The console is not built',
  paragraphs: [
    'This service was started from a folder without the console. Run npm run build:console, and start the service again.',
  ],
  link: { href: '/api/docs', text: 'Open the API reference' },
})
