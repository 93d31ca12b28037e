import { errors } from 'oidc-provider'
import type { Fetched, Get } from '#platform/outbound/create-get'
import { parseUrl } from '#platform/parse-url'
import type { Deps } from '../../deps.ts'
import { isHostListed } from './clients-store.ts'
import { type ClientDocument, readDocument } from './document-problems.ts'

/** The functions with which documents are read; `app.ts` passes them. */
export interface DocumentNeeds {
  /** Returns the normal form of an address that the service may connect to; undefined for any other. */
  readonly readUrl: (text: string) => string | undefined
  readonly get: Get
  /** A clock in milliseconds that only moves forward. */
  readonly now?: () => number
}

/** The bounds and the default of the time for which a document is cached, in seconds. */
const lifetimes = { min: 30, max: 3_600, unstated: 300 }
/** A document that cannot be used is not fetched again for this time, in seconds. */
const failureSec = 10
/**
 * The maximum number of cached documents, and separately of cached failures, so that failures of invented addresses
 * evict no document.
 */
const maxKept = 200
const maxFetches = 16
/** The maximum number of concurrent fetches from one host, so that a slow host does not block the others. */
const maxFetchesPerHost = 4
const maxIdLength = 512

interface Kept {
  readonly document: Promise<ClientDocument>
  readonly untilMs: number
}

/** Finds the client ID metadata document of a client, by its ID. */
export type FindDocument = (id: string) => Promise<ClientDocument>

/** Returns true for text that can be the address of a client ID metadata document, in its normal form. */
export function isDocumentId(id: string): boolean {
  const url = /^https?:\/\/[\x21-\x7e]+$/.test(id) && id.length <= maxIdLength ? parseUrl(id) : undefined
  return url?.href === id && !id.includes('#') && !url.username && !url.password && url.pathname !== '/'
}

/**
 * Creates a function that finds client ID metadata documents. Only hosts that a project lists are connected to. The list is
 * read each time, and the documents are cached.
 *
 * @throws InvalidClient, with all problems of the document
 */
export function createFindDocument(db: Deps['db'], { readUrl, get, now }: DocumentNeeds): FindDocument {
  const nowMs = now ?? (() => performance.now())
  const kept = new Map<string, Kept>()
  const failed = new Map<string, Kept>()
  /** The fetches in progress by address, with their hosts. */
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

/** Stores an entry as the latest. If there are too many, deletes the least recently used entry. */
function keepIn(map: Map<string, Kept>, id: string, entry: Kept): void {
  map.delete(id)
  map.set(id, entry)
  const [oldest] = map.keys()
  if (map.size > maxKept && oldest !== undefined) map.delete(oldest)
}

const unusable = (why: string) =>
  new errors.InvalidClient(`the metadata document of the client cannot be used: ${why}`)

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

/** Returns the time for which a response may be cached (RFC 9111 §5.2.2), within our bounds. */
function lifetimeOf({ headers: { 'cache-control': control = '' } }: Fetched): number {
  const isFresh = !/\bno-(?:store|cache)\b/i.test(control)
  const stated = /(?:^|[\s,])max-age="?(\d{1,9})/i.exec(control)?.[1]
  const wanted = stated === undefined ? lifetimes.unstated : Number(stated)
  return isFresh ? Math.max(lifetimes.min, Math.min(lifetimes.max, wanted)) : lifetimes.min
}
