import { Type } from 'typebox'
import { endpoint } from './endpoint.ts'
import { Closed, OneOf, Uuid } from './formats.ts'
import { MemberData } from './member-data.ts'

const tag = 'Account'

/** A browser opens and sends these endpoints; its cookie `svc_sso` identifies the person. */
const ofPage = { tag, auth: 'none', page: true } as const

/**
 * Shows people the page about themselves. Refuses with NAVIGATION_REQUIRED, SERVER_NOT_ACCESSIBLE, LOGIN_REFUSED,
 * LOGIN_NOT_CONFIGURED.
 */
export const accountPage = endpoint({
  ...ofPage,
  method: 'GET',
  path: '/account',
  summary: 'A person’s own page: where they are logged in, what sites may know, what is kept',
  description:
    'A page without script. A browser that is not logged in is led through the login and comes back. Who is blocked, or in no server ' +
    'of the community any more, reads that.',
  query: Type.Object({ done: Type.Optional(OneOf('session', 'consent')) }),
  cookies: ['svc_page_req'],
  answers: { 200: null, 302: null },
  refuses: ['NAVIGATION_REQUIRED', 'SERVER_NOT_ACCESSIBLE', 'LOGIN_REFUSED', 'LOGIN_NOT_CONFIGURED'],
})

/** Returns all stored data about the person. Refuses with NAVIGATION_REQUIRED, LOGIN_REFUSED, RATE_LIMITED. */
export const accountData = endpoint({
  ...ofPage,
  method: 'GET',
  path: '/account/data',
  summary: 'Everything that is kept about who is logged in, as one file',
  description:
    'The file that an administrator gets, without the reasons of blocks, which administrators note for each other. Leaves an audit ' +
    'entry. A browser that is not logged in, or that comes from another site, is led to `/account`. A few an hour.',
  asFile: true,
  answers: { 200: MemberData, 302: null },
  refuses: ['NAVIGATION_REQUIRED', 'LOGIN_REFUSED', 'RATE_LIMITED'],
})

const change = { ...ofPage, method: 'POST', answers: { 200: null, 303: null } } as const

/** Ends one of the person’s own sessions or single sign-ons. Refuses with CROSS_SITE_REQUEST, SESSION_NOT_FOUND. */
export const endAccountSession = endpoint({
  ...change,
  path: '/account/sessions/{sessionId}/end',
  summary: 'End one of the person’s own sessions',
  description: 'Only from a page of the service. Another person’s session is not found.',
  params: Closed({ sessionId: Uuid }),
  cookies: ['svc_sso'],
  refuses: ['CROSS_SITE_REQUEST', 'SESSION_NOT_FOUND'],
})

/** Ends all sessions of the person, with single sign-on in every browser. Refuses with CROSS_SITE_REQUEST. */
export const endAccountSessions = endpoint({
  ...change,
  path: '/account/log-out-everywhere',
  summary: 'End everything that the person is logged in by',
  description: 'Only from a page of the service.',
  cookies: ['svc_sso'],
  refuses: ['CROSS_SITE_REQUEST'],
})

/**
 * Asks for confirmation before the single sign-on of this browser ends. Refuses with NAVIGATION_REQUIRED,
 * LOGIN_REFUSED.
 */
export const accountLogoutPage = endpoint({
  ...ofPage,
  method: 'GET',
  path: '/account/log-out',
  summary: 'Ask before ending the single sign-on of this browser',
  description: 'Says so where there is none.',
  answers: { 200: null },
  refuses: ['NAVIGATION_REQUIRED', 'LOGIN_REFUSED'],
})

/** Ends the single sign-on of this browser, and with it the access to the page. Refuses with CROSS_SITE_REQUEST. */
export const accountLogout = endpoint({
  ...change,
  path: '/account/log-out',
  summary: 'Log out of the account page in this browser',
  description: 'Only from a page of the service. Sessions of sites go on.',
  cookies: ['svc_sso'],
  refuses: ['CROSS_SITE_REQUEST'],
})

/**
 * Withdraws the consent of the person to a project, and ends the sessions that the project has by it. Refuses with
 * CROSS_SITE_REQUEST.
 */
export const withdrawConsent = endpoint({
  ...change,
  path: '/account/consents/{projectId}/withdraw',
  summary: 'Take back what a project may know',
  description:
    'Only from a page of the service. Ends the sessions that the project has by OpenID Connect; it asks again at the next login.',
  params: Closed({ projectId: Uuid }),
  refuses: ['CROSS_SITE_REQUEST'],
})
