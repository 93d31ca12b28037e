import { type Static, Type } from 'typebox'
import { endpoint } from './endpoint.ts'
import { Closed, CursorPage, cursorOf, DateTime, Nullable, OneOf, Snowflake, Uuid } from './formats.ts'

/**
 * Maps each reason of a refused sign-in to the step of `explain` that fails. `error_reason` in a redirect is one of
 * them.
 */
export const refusalSteps = {
  not_a_member: 'callback.member_of_server',
  blocked: 'callback.not_blocked',
  no_access: 'callback.access_kept',
  declined: 'consent.given',
  role_lacking: 'host.any_of',
} as const

/** The reason of a refused sign-in, as `error_reason` states it. */
export type RefusedLoginCode = keyof typeof refusalSteps

/** A sign-in of a known account that ended without a session. */
export const RefusedLogin = Type.Object({
  at: DateTime,
  memberId: Snowflake,
  username: Type.String(),
  displayName: Nullable(Type.String({ description: 'The name that the account shows to everyone.' })),
  avatar: Nullable(Type.String()),
  projectId: Uuid,
  serverId: Nullable(Snowflake),
  code: {
    ...OneOf('not_a_member', 'blocked', 'no_access', 'declined', 'role_lacking'),
    description:
      'The reason. `declined`: the member did not agree to share their identity with the project. ' +
      '`role_lacking`: a protected host requires a role that the member does not have.',
  },
  step: Type.String({ description: 'The step of `POST /api/admin/explain` that fails.' }),
})

const RefusedLoginsQuery = Closed({
  search: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'Part of the username or display name, case-insensitive, or a complete member ID.',
    }),
  ),
  projectId: Type.Optional(Uuid),
  from: Type.Optional({
    ...DateTime,
    description: 'Start of the period, inclusive. A date without a time means its start in UTC.',
  }),
  to: Type.Optional({
    ...DateTime,
    description: 'End of the period, inclusive. A date without a time includes that whole day in UTC.',
  }),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
  cursor: Type.Optional(cursorOf('momentCursor', 60)),
})

/** Lists refused sign-ins of known accounts, newest first. Project owners only see those to their projects. */
export const listRefusedLogins = endpoint({
  method: 'GET',
  path: '/api/admin/refused-logins',
  tag: 'Members',
  summary: 'List refused sign-ins, the newest first',
  description:
    'Returns sign-ins of known accounts that ended without a session. Owners see the sign-ins to their ' +
    'projects, except those with the code `declined`. Entries are kept as long as rejected requests, and are ' +
    'deleted when the person is erased. A new entry can take a few seconds to appear.',
  auth: 'admin',
  owners: 'any',
  query: RefusedLoginsQuery,
  answers: { 200: CursorPage(RefusedLogin) },
  refuses: [],
})

export type RefusedLogin = Static<typeof RefusedLogin>
export type RefusedLoginsQuery = Static<typeof RefusedLoginsQuery>
