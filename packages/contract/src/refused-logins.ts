import { type Static, Type } from 'typebox'
import { endpoint } from './endpoint.ts'
import { Closed, DateTime, Nullable, OneOf, Snowflake, Uuid } from './formats.ts'
import { patterns } from './patterns.ts'

/** Why a sign-in is refused, and the step of `explain` that fails then. `error_reason` of a redirect is one of these. */
export const refusalSteps = {
  not_a_member: 'callback.member_of_server',
  blocked: 'callback.not_blocked',
  no_access: 'callback.access_kept',
  declined: 'consent.given',
  role_lacking: 'host.any_of',
} as const

/** The reason of a refused sign-in, as `error_reason` has it. */
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
      '`declined`: the member did not agree that the project learns who they are. `role_lacking`: a protected host asks for a role that they do not hold.',
  },
  step: Type.String({ description: 'The step of POST /api/admin/explain that fails.' }),
})

const RefusedLoginsQuery = Closed({
  search: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'A part of the username or display name, ignoring case, or a whole member ID.',
    }),
  ),
  projectId: Type.Optional(Uuid),
  from: Type.Optional({
    ...DateTime,
    description: 'From this moment on. A date alone is its first moment in UTC.',
  }),
  to: Type.Optional({
    ...DateTime,
    description: 'Up to and including this moment. A date alone is the whole day, in UTC.',
  }),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
  cursor: Type.Optional(
    Type.String({
      pattern: patterns.momentCursor.pattern,
      maxLength: 60,
      description: '`nextCursor` of the page before.',
    }),
  ),
})

/** Lists refused sign-ins of known accounts, newest first. Owners see those of their projects. */
export const listRefusedLogins = endpoint({
  method: 'GET',
  path: '/api/admin/refused-logins',
  tag: 'Members',
  summary: 'List refused sign-ins, the newest first',
  description:
    'Sign-ins that ended without a session, by the account that tried. Owners of projects see those of their projects, but none with the code `declined`. Kept as long as authentication failures, and erased with the person. At most a few seconds old.',
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
