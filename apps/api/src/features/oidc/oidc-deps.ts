import type { Tally } from '#platform/metrics/tally'
import type { Deps } from '../../deps.ts'
import type { BrowserLogin } from './browser-login.ts'
import type { ClientSessions } from './client-sessions.ts'

/** What is counted for whoever watches the service. */
export interface OidcCounts {
  /** Answers by endpoint and outcome. */
  readonly answers: Tally
}

/** What OpenID Connect touches; login and sessions are kept elsewhere, and `app.ts` passes them. */
export type OidcDeps = Pick<
  Deps,
  'db' | 'answers' | 'config' | 'audit' | 'log' | 'settings' | 'refreshMember' | 'cache' | 'limiter'
> & { readonly login: BrowserLogin; readonly sessions: ClientSessions; readonly counts: OidcCounts }
