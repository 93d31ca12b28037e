import { Answer } from '#platform/http/answer'
import { parseUrl } from '#platform/parse-url'
import type { Deps } from '../../deps.ts'
import { listBrowserRedirectUris } from './clients-store.ts'

/** A day is what browsers keep at most; an hour is soon enough for a client that is new. */
const maxAgeSec = 3_600

/**
 * True for the origin of a site that logs in by itself, in the browser: a redirect URI of a public client. Nobody else's
 * page has a reason to ask.
 */
export async function isKnownOrigin({ db }: Pick<Deps, 'db'>, origin: string): Promise<boolean> {
  const uris = await listBrowserRedirectUris(db)
  return uris.some((uri) => /^https?:/i.test(uri) && parseUrl(uri)?.origin === origin)
}

/** The answer to a preflight, which says nothing to an origin that is not known. */
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
