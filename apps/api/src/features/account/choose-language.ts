import type { Language } from '@rolecall/contract'
import { Answer } from '#platform/http/answer'
import { languageCookies } from '#platform/http/reader'
import { parseUrl } from '#platform/parse-url'
import type { Deps } from '../../deps.ts'

/** Stores the language that a person chose in a cookie, and redirects to the page on which they chose it. */
export const chooseLanguage = (
  { publicUrl }: Pick<Deps['config'], 'publicUrl'>,
  language: Language,
  returnTo: string | undefined,
): Answer =>
  new Answer(303, undefined, {
    location: returnPath(publicUrl, returnTo) ?? '/account',
    'set-cookie': languageCookies(publicUrl, language),
  })

/** Returns the path and query of an address of this service, in ASCII. Returns undefined for any other address. */
function returnPath(publicUrl: string, returnTo: string | undefined): string | undefined {
  if (!returnTo?.startsWith('/')) return undefined
  const { origin } = new URL(publicUrl)
  const url = parseUrl(returnTo, publicUrl)
  if (url?.origin !== origin || url.pathname.startsWith('//')) return undefined
  return url.pathname + url.search
}
