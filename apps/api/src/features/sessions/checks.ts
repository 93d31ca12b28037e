import { type FreshnessTerms, isServable, type Mirrored } from '#mirror/freshness'
import type { Read } from '#session-memory/memory'
import { errorCheck } from '../../checks/check.ts'

/** The checks of an API key, for the exchange and for validate alike. */
export const keyChecks = [
  errorCheck<Pick<Read, 'projectId' | 'isActive'>>({
    name: 'key.known',
    refusal: 'INVALID_API_KEY',
    holds: ({ projectId }) => projectId !== undefined,
    describe: ({ projectId }) =>
      projectId === undefined ? 'The project has no valid API key.' : 'The project has a valid API key.',
  }),
  errorCheck<Pick<Read, 'projectId' | 'isActive'>>({
    name: 'key.project_active',
    refusal: 'PROJECT_INACTIVE',
    holds: ({ projectId, isActive }) => (projectId === undefined ? undefined : isActive),
    describe: ({ isActive }) =>
      isActive
        ? 'The project is active, so its keys are accepted.'
        : 'The project is inactive, so its keys are rejected.',
  }),
] as const

/** The check of the exchange, in the statement that redeems the code. */
export const redeemCheck = errorCheck<{ readonly redeemed: object | undefined }>({
  name: 'exchange.code_redeemed',
  refusal: 'INVALID_CODE',
  holds: ({ redeemed }) => redeemed !== undefined,
  describe: ({ redeemed }) =>
    redeemed
      ? 'The code creates a session.'
      : 'The code creates no session, because the project or the member no longer has access to the server.',
})

/** The check of the session by validate, in the database or in memory under a lease. */
export const sessionCheck = errorCheck<Pick<Read, 'session'>>({
  name: 'validate.session_live',
  refusal: 'INVALID_TOKEN',
  holds: ({ session }) => session !== undefined,
  describe: ({ session }) => (session ? 'The session is live.' : 'The session is not live.'),
})

/** The check of the roles' age by validate, while the chat platform does not respond. */
export const rolesCheck = errorCheck<{ readonly mirrored: Mirrored; readonly terms: FreshnessTerms }>({
  name: 'validate.roles_known',
  refusal: 'CHAT_PLATFORM_UNAVAILABLE',
  holds: ({ mirrored, terms }) => isServable(mirrored, terms),
  describe: ({ mirrored, terms }) =>
    isServable(mirrored, terms)
      ? 'The roles are recent enough.'
      : 'The roles are too old, and Discord does not respond.',
})
