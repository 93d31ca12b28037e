import { Type } from 'typebox'
import { endpoint } from './endpoint.ts'
import { Closed, OneOf, Uuid } from './formats.ts'
import { MemberData } from './member-data.ts'

const tag = 'Account'

/**
 * The common parts of the endpoints of the account page. Only browsers call them, and the cookie `svc_sso` identifies
 * the person.
 */
const ofPage = { tag, auth: 'none', page: true } as const

/**
 * Shows people the page about themselves. Refuses with NAVIGATION_REQUIRED, MAIN_SERVER_MISSING, LOGIN_REFUSED,
 * LOGIN_NOT_CONFIGURED.
 */
export const accountPage = endpoint({
  ...ofPage,
  method: 'GET',
  path: '/account',
  summary: 'Show the account page of a person: sessions, consents, and stored data',
  description:
    'An HTML page without scripts. A browser that is not signed in is sent to sign in, and returns here. A ' +
    'person who is blocked, or who has left the community, sees a page that says so.',
  query: Type.Object({ done: Type.Optional(OneOf('session', 'consent')) }),
  cookies: ['svc_page_req'],
  answers: { 200: null, 302: null },
  refuses: ['NAVIGATION_REQUIRED', 'MAIN_SERVER_MISSING', 'LOGIN_REFUSED', 'LOGIN_NOT_CONFIGURED'],
})

/** Returns all stored data about the person. Refuses with NAVIGATION_REQUIRED, LOGIN_REFUSED, RATE_LIMITED. */
export const accountData = endpoint({
  ...ofPage,
  method: 'GET',
  path: '/account/data',
  summary: 'Download all stored data about the signed-in person',
  description:
    'Returns the file that administrators can also download, but without the reasons of blocks, which are ' +
    'notes between administrators. Creates an audit entry. A browser that is not signed in, or that comes from ' +
    'another site, is redirected to `/account`. Each person can download the file six times per hour.',
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
  description: 'Accepted only from a page of the service. The session of another person is not found.',
  params: Closed({ sessionId: Uuid }),
  cookies: ['svc_sso'],
  refuses: ['CROSS_SITE_REQUEST', 'SESSION_NOT_FOUND'],
})

/** Ends all sessions of the person, with single sign-on in every browser. Refuses with CROSS_SITE_REQUEST. */
export const endAccountSessions = endpoint({
  ...change,
  path: '/account/log-out-everywhere',
  summary: 'End all sessions of the person',
  description: 'Accepted only from a page of the service.',
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
  summary: 'Ask before the single sign-on of this browser ends',
  description: 'If the browser is not signed in, the page says so.',
  answers: { 200: null },
  refuses: ['NAVIGATION_REQUIRED', 'LOGIN_REFUSED'],
})

/**
 * Ends the single sign-on of this browser, which can then no longer open the account page. Refuses with
 * CROSS_SITE_REQUEST.
 */
export const accountLogout = endpoint({
  ...change,
  path: '/account/log-out',
  summary: 'Sign out of the account page in this browser',
  description: 'Accepted only from a page of the service. The sessions of sites continue.',
  cookies: ['svc_sso'],
  refuses: ['CROSS_SITE_REQUEST'],
})

/**
 * Withdraws the person’s consent to a project, and ends the sessions that the project has because of this consent.
 * Refuses with CROSS_SITE_REQUEST.
 */
export const withdrawConsent = endpoint({
  ...change,
  path: '/account/consents/{projectId}/withdraw',
  summary: 'Withdraw consent for a project',
  description:
    'Accepted only from a page of the service. Ends the OpenID Connect sessions of the project, which asks ' +
    'for consent again at the next sign-in.',
  params: Closed({ projectId: Uuid }),
  query: Closed({
    clientId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 512,
        description:
          'The address of the metadata document of a program, to withdraw the consent for this program. Without ' +
          'it, the consent for the project itself is withdrawn.',
      }),
    ),
  }),
  refuses: ['CROSS_SITE_REQUEST'],
})
