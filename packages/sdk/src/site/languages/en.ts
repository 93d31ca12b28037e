import { titles } from '../../problem.ts'

/** English. Every other catalog must have the same keys to compile. */
export const en = {
  tryAgain: 'Try again',
  startPage: 'To the start page',
  refusedTitle: 'You were not signed in',
  roleTitle: 'You cannot open this page',
  expiredTitle: 'This sign-in is no longer valid',
  failedTitle: 'Sign-in does not work right now',
  signedOutTitle: 'You are signed out',
  LOGIN_NOT_FOUND: titles.LOGIN_NOT_FOUND,
  LOGIN_UNREADABLE: titles.LOGIN_UNREADABLE,
  LOGIN_EXPIRED: titles.LOGIN_EXPIRED,
  LOGIN_CODE_USED: titles.LOGIN_CODE_USED,
  LOGIN_REFUSED: titles.LOGIN_REFUSED,
  LOGIN_FAILED: titles.LOGIN_FAILED,
  // Shown only by the Python client. During an outage, it signs the member out in the browser, but not at the service.
  LOGOUT_INCOMPLETE:
    'You are signed out in this browser. The service could not be reached, so the session ends there later.',
  ROLE_REQUIRED: titles.ROLE_REQUIRED,
  SESSION_CHECK_UNAVAILABLE: titles.SESSION_CHECK_UNAVAILABLE,
  NOT_FOUND: titles.NOT_FOUND,
  declined: 'You declined the sign-in at Discord.',
  not_a_member:
    'This account is not a member of the server. If you have not joined yet, join on Discord and sign in again. If you were removed or banned, ask the moderators of the server.',
  blocked:
    'This account is blocked. An admin of the community blocked it, so it cannot sign in. Trying again will not help. To ask about it, write to the moderators of the community.',
  no_access:
    'An admin of the community has to give the site access to the server first. Tell the people who run the site.',
  temporarily_unavailable:
    'Discord is not responding. We could not finish signing you in. Your account is fine.',
  server_error: 'Something is wrong on our side. Your account is fine.',
}
