import { Readable } from 'node:stream'
import { Answer, redirect } from '#platform/http/answer'
import { ApiError } from '#platform/http/api-error'
import { pageHeaders, page as plainPage } from '#platform/http/page'
import type { Router } from '#platform/http/router'
import type { Callers } from '../callers.ts'
import { type Built, openBuilt, type Spelling } from './built-files.ts'

/** Nothing from elsewhere, no text that becomes a script, and nobody may frame it. */
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

/** An administrator has to see what is wrong while much is wrong. */
const terms = { refusedUnderPressure: 'last' } as const

/** The console: one page under every address, and the files that its names are made of. */
export function consoleRoutes(
  { page: serve }: Pick<Router<Callers>, 'page'>,
  { page, asset }: Built = openBuilt(),
) {
  serve('/console', terms, () => redirect('/console/'))
  serve('/console/', terms, () => application(page()))
  serve('/console/*', terms, ({ raw }) => {
    const [path = ''] = (raw.url ?? '').split('?', 1)
    const name = path.startsWith(assets) ? path.slice(assets.length) : undefined
    if (name === undefined) return application(page())
    const file = asset(name)
    if (!file) throw new ApiError('NOT_FOUND')
    const { encoding, bytes } = choose(file.spellings, raw.headers['accept-encoding'])
    const body = bytes()
    return new Answer(
      200,
      undefined,
      {
        'content-type': file.type,
        'content-length': body.length,
        ...(encoding !== 'identity' && { 'content-encoding': encoding }),
        vary: 'accept-encoding',
        // Its name has the digest of what is in it.
        'cache-control': 'public, max-age=31536000, immutable',
      },
      Readable.from([body], { objectMode: false }),
    )
  })
}

const assets = '/console/assets/'

/** What is named after a release is never kept: the next release has other files. */
const application = (html: string | undefined) =>
  html === undefined
    ? new Answer(404, notBuilt, { ...pageHeaders, 'cache-control': 'no-store' })
    : new Answer(200, html, {
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'content-security-policy': consolePolicy,
        'cross-origin-opener-policy': 'same-origin',
      })

const notBuilt = plainPage({
  title: 'The console is not built',
  paragraphs: [
    'This service was started from a folder without it. Run npm run build:console, and start it again.',
  ],
  link: { href: '/api/docs', text: 'To the pages of the API' },
  notes: [],
})

/** The first that the client takes. Who says nothing gets the file as it is. */
function choose(spellings: readonly Spelling[], accepted: string | undefined): Spelling {
  const taken = new Set(
    (accepted ?? '')
      .split(',')
      .map((one) => one.trim().toLowerCase())
      .filter((one) => !/;\s*q=0(\.0*)?$/.test(one))
      .map((one) => one.split(';', 1)[0]),
  )
  const found = spellings.find(({ encoding }) => encoding === 'identity' || taken.has(encoding))
  if (!found) throw new Error('A built file is without itself.')
  return found
}
