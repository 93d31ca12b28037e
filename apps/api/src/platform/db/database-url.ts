import pg from 'pg'
import { parseUrl } from '../parse-url.ts'

const forms = 'must be postgres://…, pglite:<folder> or pglite::memory:'

/**
 * Returns what is wrong with a DATABASE_URL, as the end of a sentence that begins with its name. Returns undefined if
 * it is valid: `postgres://…` with one or more hosts, `pglite:<folder>`, or `pglite::memory:`. The result contains no
 * part of the URL, which may include a password.
 */
export function databaseUrlProblem(url: string): string | undefined {
  if (/^pglite:./.test(url)) return undefined
  const hosts = listedHosts(url)
  if (hosts.length > 1) {
    const wrong = hosts.findIndex((one) => !isHost(one))
    if (wrong !== -1)
      return `must list its hosts as host or host:port, separated by commas: number ${wrong + 1} of ${hosts.length} is neither`
  }
  return hostUrls(url).map(wrongWithOneHost).find(Boolean)
}

function wrongWithOneHost(url: string): string | undefined {
  if (!/^postgres(ql)?:\/\/./.test(url)) return forms
  if (/[?&]host=[^&]*,/.test(url))
    return 'must list its hosts before the path, not in host=: postgres://user@first,second/database'
  const parsed = parseUrl(url)
  if (!parsed) return forms
  const wanted = parsed.searchParams.get('target_session_attrs') ?? 'read-write'
  if (wanted !== 'read-write')
    return 'must set target_session_attrs=read-write or omit it, because the service uses the host that accepts writes'
  try {
    // The client parses all settings, without connecting. An invalid setting would otherwise make every request fail.
    return new pg.Client({ connectionString: url }) instanceof pg.Client ? undefined : forms
  } catch {
    return forms
  }
}

/**
 * Returns one URL for each host of the list, with all other parts unchanged. A URL with one host is returned as it is.
 */
export function hostUrls(url: string): readonly string[] {
  const hosts = listedHosts(url)
  if (hosts.length < 2) return [url]
  const [, before = '', , after = ''] = parts(url)
  return hosts.map((host) => `${before}${host}${after}`)
}

const listedHosts = (url: string) => (parts(url)[2] ?? '').split(',')

/** Splits a URL into the part before the hosts, the hosts, and the rest. */
const parts = (url: string) => /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/s.exec(url) ?? []

function isHost(text: string): boolean {
  const [, port = '5432'] = /^(?:\[[0-9a-f:.]+\]|[\w.-]+)(?::(\d{1,5}))?$/i.exec(text) ?? [undefined, '0']
  return Number(port) >= 1 && Number(port) <= 65_535
}
