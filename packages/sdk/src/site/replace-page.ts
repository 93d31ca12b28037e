import { personal } from './answers.ts'
import type { PageDetails } from './page-details.ts'
import type { Settings } from './settings.ts'

/**
 * The default Content-Security-Policy of an app's page: no code of other sites, and no frames. The app can override it.
 */
const policy =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; frame-ancestors 'none'; base-uri 'none'"

const replacements = new WeakSet<Response>()

/** Returns true for a page of the app in place of one of this library. */
export const isReplacement = (response: Response): boolean => replacements.has(response)

/** Returns the page of the app. Undefined if it has none, or if creating it failed, which is reported to `onError`. */
export async function replacementFor(
  { pages, onRefused, onError }: Pick<Settings, 'pages' | 'onRefused' | 'onError'>,
  details: PageDetails,
): Promise<Response | undefined> {
  const attempt = async (make: () => unknown): Promise<Response | undefined> => {
    try {
      return toResponse(await make(), details.status)
    } catch (error) {
      onError(error)
      return undefined
    }
  }
  const { kind } = details
  const ofHook = kind === 'refused' ? await attempt(() => onRefused?.(details)) : undefined
  const response = ofHook ?? (await attempt(() => pages[kind]?.(details)))
  if (response) replacements.add(response)
  return response
}

/**
 * Converts what a page function of the app returned. A redirect keeps its status. Any other response gets the status of
 * the page, and the default policy if it has none.
 */
function toResponse(answer: unknown, status: number): Response | undefined {
  if (answer === undefined) return undefined
  if (typeof answer !== 'string' && !(answer instanceof Response)) {
    throw new TypeError('A page of createRolecall() returned neither HTML nor a Response.')
  }
  const given =
    typeof answer === 'string'
      ? new Response(answer, { headers: { 'content-type': 'text/html; charset=utf-8' } })
      : answer
  const isRedirect = given.status >= 300 && given.status < 400 && given.headers.has('location')
  const response = new Response(given.body, {
    status: isRedirect ? given.status : status,
    headers: given.headers,
  })
  for (const [name, value] of Object.entries(personal)) response.headers.set(name, value)
  if (!isRedirect && !response.headers.has('content-security-policy')) {
    response.headers.set('content-security-policy', policy)
  }
  return response
}
