import type { Tally } from '#platform/metrics/tally'
import type { Deps } from '../../deps.ts'
import type { BrowserLogin } from './browser-login.ts'
import type { DocumentNeeds } from './client-documents.ts'
import type { ClientSessions } from './client-sessions.ts'

/** The counters for monitoring. */
export interface OidcCounts {
  /** Responses by endpoint and outcome. */
  readonly answers: Tally
}

/**
 * The dependencies of OpenID Connect. The features `login` and `sessions` implement two of them, which `app.ts` passes.
 */
export type OidcDeps = Pick<
  Deps,
  'db' | 'answers' | 'config' | 'audit' | 'log' | 'settings' | 'refreshMember' | 'cache' | 'limiter'
> & {
  readonly login: BrowserLogin
  readonly sessions: ClientSessions
  readonly counts: OidcCounts
  readonly documents: DocumentNeeds
}
