import { type FreshnessTerms, isServable, type RoleAge } from '#mirror/freshness'
import type { Read } from '#session-memory/facts-of-rows'
import { errorCheck } from '../../checks/check.ts'

/** The checks of an API key, which every endpoint for projects applies. */
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

/** The check of the exchange. The statement that redeems the code decides it, and this names the outcome. */
export const redeemCheck = errorCheck<{ readonly redeemed: object | undefined }>({
  name: 'exchange.code_redeemed',
  refusal: 'INVALID_CODE',
  holds: ({ redeemed }) => redeemed !== undefined,
  describe: ({ redeemed }) =>
    redeemed
      ? 'The code creates a session.'
      : 'The code creates no session, because the project or the member no longer has access to the server.',
})

/** The check of the session by `validate`. `session` is undefined unless the session is live. */
export const sessionCheck = errorCheck<Pick<Read, 'session'>>({
  name: 'validate.session_live',
  refusal: 'INVALID_TOKEN',
  holds: ({ session }) => session !== undefined,
  describe: ({ session }) => (session ? 'The session is live.' : 'The session is not live.'),
})

/** The check of the roles' age by `validate`, which applies only while Discord does not respond. */
export const rolesCheck = errorCheck<{ readonly mirrored: RoleAge; readonly terms: FreshnessTerms }>({
  name: 'validate.roles_known',
  refusal: 'CHAT_PLATFORM_UNAVAILABLE',
  holds: ({ mirrored, terms }) => isServable(mirrored, terms),
  describe: ({ mirrored, terms }) =>
    isServable(mirrored, terms)
      ? 'The roles are recent enough.'
      : 'The roles are too old, and Discord does not respond.',
})
