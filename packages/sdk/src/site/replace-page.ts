import { personal } from './answers.ts'
import type { PageDetails } from './page-details.ts'
import type { Settings } from './settings.ts'

/** Keeps a page of the app from running code of others, and out of frames. The app may send another policy. */
const policy =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; frame-ancestors 'none'; base-uri 'none'"

const replacements = new WeakSet<Response>()

/** Returns true for a page of the app in place of one of this library. */
export const isReplacement = (response: Response): boolean => replacements.has(response)

/** Returns the page of the app; undefined if it has none, or if making it fails. Failures are reported. */
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
  const answer = ofHook ?? (await attempt(() => pages[kind]?.(details)))
  if (answer) replacements.add(answer)
  return answer
}

/** Converts the answer of an app. It has the status and the headers of the page, unless it is a redirect. */
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
