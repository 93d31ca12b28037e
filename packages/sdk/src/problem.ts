/** The titles of the problems for which an app, not the service, refuses a request. The keys are the codes. */
export const titles = {
  LOGIN_REQUIRED: 'Sign in first.',
  ROLE_REQUIRED: 'You do not have the required role.',
  SESSION_CHECK_UNAVAILABLE: 'Your session cannot be checked right now. Try again in a moment.',
  CROSS_SITE_REQUEST: 'This request is accepted only from a page of this site.',
  NOT_FOUND: 'There is nothing here.',
  METHOD_NOT_ALLOWED: 'This address does not support the method.',
  LOGIN_NOT_FOUND: 'We couldn’t finish signing you in. Start again in this browser and allow cookies.',
  LOGIN_UNREADABLE: 'The cookie of this sign-in was changed, or the site replaced its secret. Start again.',
  LOGIN_EXPIRED: 'This sign-in took longer than ten minutes. Start again.',
  LOGIN_CODE_USED: 'The code of this sign-in was already used, or is older than a minute. Start again.',
  LOGIN_REFUSED:
    'You were not signed in: the sign-in was canceled, or you are not a member. Join the server and sign in again. If you were removed or banned, ask its moderators.',
  LOGIN_FAILED: 'You could not be signed in right now. Try again in a moment.',
}

/** The code of a problem for which an app refuses a request. */
export type ProblemCode = keyof typeof titles

/** Returns the body of a problem response (RFC 9457), with the same fields as a problem of the service. */
export const problemBody = (status: number, code: ProblemCode, detail?: string): string =>
  JSON.stringify({ type: 'about:blank', title: titles[code], status, detail, code })
