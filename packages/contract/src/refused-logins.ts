import { type Static, Type } from 'typebox'
import { endpoint } from './endpoint.ts'
import { Closed, cursorOf, DateTime, Nullable, OneOf, Snowflake, Uuid } from './formats.ts'

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
      '`declined`: the member declined to share their identity with the project. `role_lacking`: a protected host ' +
      'requires a role that they do not have.',
  },
  step: Type.String({ description: 'The step of POST /api/admin/explain that fails.' }),
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
    'Sign-ins of known accounts that ended without a session. Project owners see those of their projects, except for the ' +
    'code `declined`. Entries are kept as long as authentication failures and erased with the person. The list may lag by ' +
    'a few seconds.',
  auth: 'admin',
  owners: 'any',
  query: RefusedLoginsQuery,
  answers: {
    200: Type.Object({
      data: Type.Array(RefusedLogin),
      nextCursor: Nullable(Type.String({ description: 'Null on the last page.' })),
    }),
  },
  refuses: [],
})

export type RefusedLogin = Static<typeof RefusedLogin>
export type RefusedLoginsQuery = Static<typeof RefusedLoginsQuery>
