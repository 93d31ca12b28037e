import pg from 'pg'
import { parseUrl } from '../parse-url.ts'

const forms = 'must be postgres://…, pglite:<folder> or pglite::memory:'

/**
 * Returns the problem of a DATABASE_URL, in a form that can follow its name. Returns undefined for `postgres://…` with
 * one or several hosts, `pglite:<folder>`, and `pglite::memory:`. Contains no part of the URL, which may have a
 * password.
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
    // Parses the settings without connecting, because an invalid setting would otherwise fail each request.
    return new pg.Client({ connectionString: url }) instanceof pg.Client ? undefined : forms
  } catch {
    return forms
  }
}

/** Returns one address for each listed host, with all other parts unchanged. A standard URL has one host. */
export function hostUrls(url: string): readonly string[] {
  const hosts = listedHosts(url)
  if (hosts.length < 2) return [url]
  const [, before = '', , after = ''] = parts(url)
  return hosts.map((host) => `${before}${host}${after}`)
}

const listedHosts = (url: string) => (parts(url)[2] ?? '').split(',')

/** Splits an address into the part before the hosts, the hosts, and the part after them. */
const parts = (url: string) => /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/s.exec(url) ?? []

function isHost(text: string): boolean {
  const [, port = '5432'] = /^(?:\[[0-9a-f:.]+\]|[\w.-]+)(?::(\d{1,5}))?$/i.exec(text) ?? [undefined, '0']
  return Number(port) >= 1 && Number(port) <= 65_535
}
