import pg from 'pg'
import { parseUrl } from '../parse-url.ts'

/** True for what DATABASE_URL may name: `postgres://…`, `pglite:<folder>` or `pglite::memory:`. */
export function isDatabaseUrl(url: string): boolean {
  if (/^pglite:./.test(url)) return true
  if (!/^postgres(ql)?:\/\/./.test(url) || !parseUrl(url)) return false
  try {
    // Makes a connection's settings of it without connecting: what cannot be read here would fail each request.
    return new pg.Client({ connectionString: url }) instanceof pg.Client
  } catch {
    return false
  }
}
