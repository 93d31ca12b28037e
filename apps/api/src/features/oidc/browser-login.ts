import type { Client } from '#platform/http/router'

/** The error of a sign-in that cannot continue (RFC 6749 §4.1.2.1). */
export interface LoginProblem {
  readonly error: 'access_denied' | 'temporarily_unavailable' | 'server_error' | 'login_required'
  /** The `error_reason` of a redirect. */
  readonly reason: string
  readonly description: string
}

/**
 * The sign-in of the service for this protocol, with the same checks and single sign-on. Another feature owns it, and
 * `app.ts` passes it.
 */
export interface BrowserLogin {
  /**
   * Returns the member who is signed in in the browser that sends these cookies, and the time of the sign-in. Consumes
   * nothing. With a project, returns undefined if that project has ended all sessions of the member since.
   */
  find(
    cookie: string | undefined,
    projectId?: string,
  ): Promise<{ memberId: string; beganAt: Date } | undefined>
  /**
   * Signs in by single sign-on: reads the membership from the platform and rotates the value. Returns undefined if the
   * member must sign in at the platform.
   */
  use(
    cookie: string | undefined,
    asked: {
      readonly projectId: string
      readonly serverId: string
      /** The path that the record of a refusal names. */
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
  /** Sends the browser to the platform. `interaction` receives the result, and the browser returns to `returnTo`. */
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
  /** Ends the single sign-on of the browser. Returns the cookies to set for that. */
  end(cookie: string | undefined): Promise<readonly string[]>
}
