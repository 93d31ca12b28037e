import { Answer } from '#platform/http/answer'
import { parseUrl } from '#platform/parse-url'
import type { Deps } from '../../deps.ts'
import { listBrowserRedirectUris } from './clients-store.ts'

/** The seconds for which a browser may cache a preflight response. */
const maxAgeSec = 3_600

/**
 * Returns true if a redirect URI of a public client has this origin. Such a client runs in the browser, so its pages
 * send requests to this service. Pages of other origins may not read the responses.
 */
export async function isKnownOrigin({ db }: Pick<Deps, 'db'>, origin: string): Promise<boolean> {
  const uris = await listBrowserRedirectUris(db)
  return uris.some((uri) => /^https?:/i.test(uri) && parseUrl(uri)?.origin === origin)
}

/** Responds to a preflight request. The response to an unknown origin permits nothing. */
export async function respondToPreflight(
  deps: Pick<Deps, 'db'>,
  origin: string | undefined,
  methods: string,
): Promise<Answer> {
  if (origin === undefined || !(await isKnownOrigin(deps, origin)))
    return new Answer(204, undefined, { vary: 'Origin' })
  return new Answer(204, undefined, {
    vary: 'Origin',
    'access-control-allow-origin': origin,
    'access-control-allow-methods': methods,
    'access-control-allow-headers': 'Authorization, Content-Type, MCP-Protocol-Version',
    'access-control-max-age': String(maxAgeSec),
  })
}
