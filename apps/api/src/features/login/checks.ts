import { ChatPlatformError } from '#chat/chat-platform'
import { type Check, errorCheck } from '../../checks/check.ts'
import type { Config } from '../../config.ts'
import type { LoginRefusal } from '../../pages/refusal-notice.ts'
import { refusalOf } from './project-redirect.ts'
import type { LoginProject } from './store.ts'

/** The redirect URI that a sign-in requests, and the project that it names. Undefined if there is no such project. */
export interface LoginFacts {
  readonly project: LoginProject | undefined
  readonly redirectUri: string | undefined
}

/** The checks of a sign-in to a project at its start. The first that fails decides about the error. */
export const authorizeChecks: readonly Check<LoginFacts>[] = [
  errorCheck({
    name: 'authorize.project_known',
    refusal: 'UNKNOWN_PROJECT',
    holds: ({ project }) => project !== undefined,
    describe: ({ project }) => (project ? `The project is ${project.name}.` : 'No project has this ID.'),
  }),
  errorCheck({
    name: 'authorize.project_active',
    refusal: 'PROJECT_INACTIVE_AT_LOGIN',
    holds: ({ project }) => project?.isActive,
    describe: ({ project }) => (project?.isActive ? 'The project is active.' : 'The project is inactive.'),
  }),
  errorCheck({
    name: 'authorize.redirect_uri_allowed',
    refusal: 'REDIRECT_URI_NOT_ALLOWED',
    holds: ({ project, redirectUri }) => project && isListed(project, redirectUri),
    describe: ({ project, redirectUri }) => {
      if (redirectUri === undefined) return 'The project has no redirect URI.'
      const isAllowed = project !== undefined && isListed(project, redirectUri)
      return `${redirectUri} is ${isAllowed ? '' : 'not '}on the list of the project.`
    },
  }),
  errorCheck({
    name: 'authorize.server_accessible',
    refusal: 'SERVER_NOT_ACCESSIBLE',
    holds: ({ project }) => project?.mayRead,
    describe: ({ project }) =>
      project?.mayRead
        ? 'The project has READ access to this server.'
        : 'The project has no READ access to this server.',
  }),
]

/** Returns true if the redirect URI is equal to one of the project's redirect URIs. */
export const isListed = ({ redirectUris }: LoginProject, redirectUri: string | undefined): boolean =>
  redirectUri !== undefined && redirectUris.includes(redirectUri)

/**
 * Checks that the OAuth client at Discord is configured. Outside production, the service starts without it. A sign-in
 * is then rejected at its start, because it would fail only after Discord's screen.
 */
export const configuredCheck = errorCheck<Pick<Config, 'chatClientId' | 'chatClientSecret'>>({
  name: 'authorize.login_configured',
  refusal: 'LOGIN_NOT_CONFIGURED',
  holds: ({ chatClientId, chatClientSecret }) => Boolean(chatClientId && chatClientSecret),
  describe: ({ chatClientId, chatClientSecret }) =>
    chatClientId && chatClientSecret
      ? 'The OAuth client of the service is configured.'
      : 'The OAuth client of the service is not configured.',
})

/** Discord's response about a member, or `failure`: the reason for a missing response. */
export interface MembershipResult {
  readonly failure?: 'temporarily_unavailable' | 'server_error' | undefined
  /** Undefined if the person is not in the server. */
  readonly member?: object | undefined
  readonly isBot?: boolean | undefined
  readonly isBlocked?: boolean | undefined
}

/**
 * Returns the kind of an error of Discord. An outage (`temporarily_unavailable`) ends by itself. Any other failure
 * needs the operator. Rethrows an error that is not from Discord.
 */
export function failureOf(error: unknown): NonNullable<MembershipResult['failure']> {
  if (!(error instanceof ChatPlatformError)) throw error
  return error.failure === 'unavailable' ? 'temporarily_unavailable' : 'server_error'
}

type LoginCheck<Facts> = Check<Facts, LoginRefusal>

/** Creates a check that refuses with an error of the redirect (`LoginRefusal`), and not with an error of the API. */
const loginCheck = <Facts>(check: Omit<LoginCheck<Facts>, 'code' | 'fix'>): LoginCheck<Facts> => ({
  ...check,
  ...refusalOf(check.refusal),
})

/** The checks of Discord's response, both for the callback and for single sign-on. */
export const callbackChecks: readonly LoginCheck<MembershipResult>[] = [
  loginCheck({
    name: 'callback.platform_reachable',
    refusal: 'temporarily_unavailable',
    holds: ({ failure }) => failure !== 'temporarily_unavailable',
    describe: ({ failure }) =>
      failure === 'temporarily_unavailable' ? 'Discord is not available right now.' : 'Discord is available.',
  }),
  loginCheck({
    name: 'callback.platform_answers',
    refusal: 'server_error',
    holds: ({ failure }) => (failure === 'temporarily_unavailable' ? undefined : failure === undefined),
    describe: ({ failure }) =>
      failure === undefined
        ? 'Discord returned the membership.'
        : 'Discord rejected the request, or its response is invalid.',
  }),
  loginCheck({
    name: 'callback.member_of_server',
    refusal: 'not_a_member',
    holds: ({ failure, member, isBot }) => (failure ? undefined : member !== undefined && !isBot),
    describe: ({ member, isBot }) => {
      if (!member)
        return 'This account is not a member of the server: it has not joined, has left, or was banned.'
      return isBot
        ? 'This account is a bot, and bots cannot sign in.'
        : 'This account is a member of the server.'
    },
  }),
  loginCheck({
    name: 'callback.not_blocked',
    refusal: 'blocked',
    holds: ({ failure, member, isBot, isBlocked }) => (failure || !member || isBot ? undefined : !isBlocked),
    describe: ({ isBlocked }) =>
      isBlocked ? 'An admin of the community has blocked this account.' : 'This account is not blocked.',
  }),
]

/**
 * The check of the project's access when the code is stored, both for the callback and for single sign-on. `authorize`
 * checked the access when the sign-in began, which may be minutes ago. The statement that stores the code decides.
 */
export const codeCheck = loginCheck<{ readonly code: string | undefined }>({
  name: 'callback.access_kept',
  refusal: 'no_access',
  holds: ({ code }) => code !== undefined,
  describe: ({ code }) =>
    code === undefined
      ? 'The project no longer has access to this server or redirect URI.'
      : 'The project still has access, so it receives a one-time code.',
})
