import type { Tx } from '#platform/db/database'
import type { Client } from '#platform/http/router'

/** The error of a refused sign-in, for the redirect to the client (RFC 6749 §4.1.2.1). */
export interface LoginProblem {
  readonly error: 'access_denied' | 'temporarily_unavailable' | 'server_error' | 'login_required'
  /** The value of `error_reason`. */
  readonly reason: string
  readonly description: string
}

/**
 * The sign-in of the service, as OpenID Connect uses it. It has the same checks and single sign-on as every sign-in.
 * The feature `login` implements it, and `app.ts` passes it. `cookie` is always the request's `Cookie` header.
 */
export interface BrowserLogin {
  /**
   * Returns the member who is signed in with this browser, and the time of the sign-in. Only reads: unlike `use`, it
   * does not rotate the cookie. With a project, returns undefined if the project has ended all sessions of the member
   * since.
   */
  find(
    cookie: string | undefined,
    projectId?: string,
  ): Promise<{ id: string; memberId: string; beganAt: Date } | undefined>
  /**
   * Signs in by single sign-on: reads the membership from Discord, and rotates the cookie. Returns the ID of the single
   * sign-on. Returns undefined if the browser has no valid one, so that the member must sign in at Discord.
   */
  use(
    cookie: string | undefined,
    request: {
      readonly projectId: string
      readonly serverId: string
      /** The path of the request, for the record of a refusal. */
      readonly path: string
      readonly client: Client
    },
  ): Promise<
    | { readonly id: string; readonly cookies: readonly string[] }
    | { readonly problem: LoginProblem }
    | undefined
  >
  /**
   * Locks a single sign-on until the transaction ends, so that every sign-out either happens before or ends what the
   * transaction creates. Returns false if it has ended, or if the project has ended all sessions of the member since.
   */
  lock(tx: Tx, sso: { readonly id: string; readonly projectId: string }): Promise<boolean>
  /** Records that a member declined to share their identity with the project. */
  noteDeclined(declined: {
    readonly memberId: string
    readonly projectId: string
    readonly serverId: string
    readonly path: string
    readonly client: Client
  }): void
  /**
   * Starts a sign-in at Discord. Its result is passed to `interaction`, and the browser then continues at `returnTo`.
   */
  begin(
    cookie: string | undefined,
    request: {
      readonly interaction: string
      readonly returnTo: string
      readonly projectId: string
      readonly serverId: string
      readonly address: string
    },
  ): Promise<{ readonly location: string; readonly cookie: string }>
  /** Ends the single sign-on of the browser. Returns the cookies to set. */
  end(cookie: string | undefined): Promise<readonly string[]>
}
