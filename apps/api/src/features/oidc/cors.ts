import { Answer } from '#platform/http/answer'
import { parseUrl } from '#platform/parse-url'
import type { Deps } from '../../deps.ts'
import { listBrowserRedirectUris } from './clients-store.ts'

/** Browsers cache a preflight for a day at most. An hour is soon enough for a new client. */
const maxAgeSec = 3_600

/**
 * Returns true for the origin of a site that signs members in from the browser: the origin of a redirect URI of a
 * public client. Pages of other sites have no reason to send requests.
 */
export async function isKnownOrigin({ db }: Pick<Deps, 'db'>, origin: string): Promise<boolean> {
  const uris = await listBrowserRedirectUris(db)
  return uris.some((uri) => /^https?:/i.test(uri) && parseUrl(uri)?.origin === origin)
}

/** Responds to a preflight. The response to an unknown origin allows nothing. */
export async function answerPreflight(
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
