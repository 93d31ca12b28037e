import type { Client } from '#platform/http/router'

/** What a login that cannot go on is told as (RFC 6749 §4.1.2.1). */
export interface LoginProblem {
  readonly error: 'access_denied' | 'temporarily_unavailable' | 'server_error' | 'login_required'
  /** The `error_reason` of a redirect. */
  readonly reason: string
  readonly description: string
}

/**
 * The login of the service, as the protocol needs it: the same checks, the same single sign-on. It is kept elsewhere;
 * `app.ts` passes this.
 */
export interface BrowserLogin {
  /**
   * Who is logged in in the browser that sends these cookies, and since when. Uses nothing up. With a project: unless that
   * ended everything of the member since.
   */
  find(
    cookie: string | undefined,
    projectId?: string,
  ): Promise<{ memberId: string; beganAt: Date } | undefined>
  /**
   * Logs in by single sign-on: membership is read from the platform and the value is rotated. Undefined when the browser
   * has to log in at the platform.
   */
  use(
    cookie: string | undefined,
    asked: {
      readonly projectId: string
      readonly serverId: string
      /** Where a refusal is recorded to have happened. */
      readonly path: string
      readonly client: Client
    },
  ): Promise<{ readonly cookies: readonly string[] } | { readonly problem: LoginProblem } | undefined>
  /** Records a member who declined to share their identity with the project. */
  noteDeclined(declined: {
    readonly memberId: string
    readonly projectId: string
    readonly serverId: string
    readonly path: string
    readonly client: Client
  }): void
  /** Sends the browser to the platform. What comes of it is told to `interaction`, and the browser comes to `returnTo`. */
  begin(
    cookie: string | undefined,
    asked: {
      readonly interaction: string
      readonly returnTo: string
      readonly projectId: string
      readonly serverId: string
      readonly address: string
    },
  ): Promise<{ readonly location: string; readonly cookie: string }>
  /** Ends the single sign-on of the browser; what it is told for that. */
  end(cookie: string | undefined): Promise<readonly string[]>
}
