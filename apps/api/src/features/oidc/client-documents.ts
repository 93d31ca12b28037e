import { errors } from 'oidc-provider'
import type { Fetched, Get } from '#platform/outbound/create-get'
import { parseUrl } from '#platform/parse-url'
import type { Deps } from '../../deps.ts'
import { isHostListed } from './clients-store.ts'
import { type ClientDocument, readDocument } from './document-problems.ts'

/** The functions that fetch a client ID metadata document. `app.ts` passes them. */
export interface DocumentNeeds {
  /** Returns the normal form of an address, or undefined if the service may not connect to it. */
  readonly readUrl: (text: string) => string | undefined
  readonly get: Get
  /** A clock in milliseconds that only moves forward. */
  readonly now?: () => number
}

/**
 * The time for which a document is cached, in seconds: the bounds, and the default if the response does not state a
 * time.
 */
const lifetimes = { min: 30, max: 3_600, unstated: 300 }
/** The time for which a failure is cached, in seconds. The document is not fetched again during this time. */
const failureSec = 10
/**
 * The maximum number of cached documents, and also of cached failures. They are separate, so that failures of invented
 * addresses cannot evict documents.
 */
const maxKept = 200
/** The maximum number of concurrent fetches. */
const maxFetches = 16
/** The maximum number of concurrent fetches from one host, so that a slow host does not block the others. */
const maxFetchesPerHost = 4
const maxIdLength = 512

/** A cached document, or a cached failure, whose promise is rejected. */
interface Kept {
  readonly document: Promise<ClientDocument>
  readonly untilMs: number
}

/** Returns the client ID metadata document of a client. The client's ID is the document's address. */
export type FindDocument = (id: string) => Promise<ClientDocument>

/**
 * Returns true if a client ID is the normal form of an address, so that a metadata document may describe the client.
 */
export function isDocumentId(id: string): boolean {
  const url = /^https?:\/\/[\x21-\x7e]+$/.test(id) && id.length <= maxIdLength ? parseUrl(id) : undefined
  return url?.href === id && !id.includes('#') && !url.username && !url.password && url.pathname !== '/'
}

/**
 * Creates the function that returns client ID metadata documents. It connects only to hosts that a project lists. It
 * reads this list from the database at each call, and caches the documents.
 *
 * The function throws InvalidClient if the address or the document cannot be used. The error names all problems of the
 * document.
 */
export function createFindDocument(db: Deps['db'], { readUrl, get, now }: DocumentNeeds): FindDocument {
  const nowMs = now ?? (() => performance.now())
  const kept = new Map<string, Kept>()
  const failed = new Map<string, Kept>()
  /** The fetches in progress, by address. Concurrent calls share a fetch. */
  const loading = new Map<string, { readonly host: string; readonly document: Promise<ClientDocument> }>()

  const load = (id: string, host: string): Promise<ClientDocument> => {
    const fetched = fetchDocument(get, id)
    const document = fetched.then((found) => found.document)
    loading.set(id, { host, document })
    const untilMs = (seconds: number) => nowMs() + seconds * 1_000
    fetched
      .then(
        ({ lifetimeSec }) => keepIn(kept, id, { document, untilMs: untilMs(lifetimeSec) }),
        () => keepIn(failed, id, { document, untilMs: untilMs(failureSec) }),
      )
      .finally(() => loading.delete(id))
    return document
  }
  const hasRoomFor = (host: string) =>
    loading.size < maxFetches &&
    [...loading.values()].filter((one) => one.host === host).length < maxFetchesPerHost

  return async (id) => {
    const url = readUrl(id) === id ? parseUrl(id) : undefined
    if (!url) throw new errors.InvalidClient('the client_id is not an https address of a public host')
    if (!(await isHostListed(db, url.host)))
      throw new errors.InvalidClient(
        `no project lists the host ${url.host} of the client_id in oidc.clientHosts`,
      )
    const current = loading.get(id)
    if (current) return current.document
    const known = kept.get(id)
    if (known && known.untilMs > nowMs()) {
      keepIn(kept, id, known)
      return known.document
    }
    const failure = failed.get(id)
    if (failure && failure.untilMs > nowMs()) return failure.document
    if (!hasRoomFor(url.host)) throw unusable('too many documents are being fetched. Try again in a moment')
    return load(id, url.host)
  }
}

/** Stores an entry as the most recently used. If there are too many, deletes the least recently used entry. */
function keepIn(map: Map<string, Kept>, id: string, entry: Kept): void {
  map.delete(id)
  map.set(id, entry)
  const [oldest] = map.keys()
  if (map.size > maxKept && oldest !== undefined) map.delete(oldest)
}

const unusable = (why: string) =>
  new errors.InvalidClient(`the metadata document of the client cannot be used: ${why}`)

/** Fetches a document and checks it. Throws InvalidClient if it cannot be used. */
async function fetchDocument(get: Get, id: string) {
  const fetched = await get(new URL(id)).catch((error: Error) => {
    throw unusable(error.message)
  })
  const value = parse(fetched)
  const document = readDocument(id, value)
  if (!('redirectUris' in document)) throw unusable(document.join('; '))
  return { document, lifetimeSec: lifetimeOf(fetched) }
}

function parse({ status, headers, body }: Fetched): unknown {
  if (status >= 300 && status < 400) throw unusable('its address redirects to another one')
  if (status !== 200) throw unusable(`its address returned status ${status}`)
  if (!/^application\/(?:[\w.-]+\+)?json(?:;|$)/i.test(headers['content-type'] ?? ''))
    throw unusable('its content type must be application/json')
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    throw unusable('it is not JSON in UTF-8')
  }
}

/** Returns how many seconds a response is cached: the time that it states (RFC 9111 §5.2.2), within `lifetimes`. */
function lifetimeOf({ headers: { 'cache-control': control = '' } }: Fetched): number {
  const isFresh = !/\bno-(?:store|cache)\b/i.test(control)
  const stated = /(?:^|[\s,])max-age="?(\d{1,9})/i.exec(control)?.[1]
  const wanted = stated === undefined ? lifetimes.unstated : Number(stated)
  return isFresh ? Math.max(lifetimes.min, Math.min(lifetimes.max, wanted)) : lifetimes.min
}
