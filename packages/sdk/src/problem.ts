/** The problems with which an app refuses a visitor, by code. */
export const titles = {
  LOGIN_REQUIRED: 'Log in first.',
  ROLE_REQUIRED: 'This takes a role that you do not hold.',
  SESSION_CHECK_UNAVAILABLE: 'Who you are cannot be checked right now. Try again in a moment.',
  CROSS_SITE_REQUEST: 'This is only taken from a page of this site.',
  NOT_FOUND: 'There is nothing here.',
  METHOD_NOT_ALLOWED: 'This address does not take that method.',
  LOGIN_NOT_FOUND:
    'This browser has no cookie of this login: it was started in another browser, or this browser keeps no cookies of this site.',
  LOGIN_UNREADABLE: 'The cookie of this login was changed, or this site has replaced its secret.',
  LOGIN_EXPIRED: 'This login took longer than ten minutes.',
  LOGIN_CODE_USED: 'The code of this login was used before, or is more than a minute old.',
  LOGIN_REFUSED:
    'You were not logged in: it was cancelled, or you are not a member. Join the server and log in again; if you were removed or banned, ask its moderators.',
  LOGIN_FAILED: 'You could not be logged in right now. Try again in a moment.',
}

export type ProblemCode = keyof typeof titles

export const titleOf = (code: ProblemCode): string => titles[code]

/** Returns the body of a problem response (RFC 9457), like those of the service. */
export const problemBody = (status: number, code: ProblemCode): string =>
  JSON.stringify({ type: 'about:blank', title: titles[code], status, code })
