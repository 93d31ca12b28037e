import { type Static, Type } from 'typebox'
import { endpoint } from './endpoint.ts'
import { Closed, DateTime, Nullable, OneOf, Snowflake, Uuid } from './formats.ts'
import { SessionRole } from './members.ts'

const tag = 'Explanations'

const RoleIds = Type.Array(Snowflake, { minItems: 1, maxItems: 100 })

/** The member, project and server to explain. */
export const ExplainRequest = Closed({
  memberId: Snowflake,
  projectId: Uuid,
  serverId: Type.Optional(Snowflake),
  redirectUri: Type.Optional(Type.String({ minLength: 1, maxLength: 2048 })),
  anyOf: Type.Optional(RoleIds),
  allOf: Type.Optional(RoleIds),
  assume: Type.Optional(
    Closed({
      addRoleIds: Type.Optional(Type.Array(Snowflake, { maxItems: 100 })),
      removeRoleIds: Type.Optional(Type.Array(Snowflake, { maxItems: 100 })),
      isMember: Type.Optional(Type.Boolean()),
    }),
  ),
})

/** One step of a sign-in or a validate: its result, the finding, and the fix. */
export const ExplainedStep = Type.Object({
  check: Type.String({ description: 'The step and its check: `authorize.project_active`.' }),
  ok: Type.Boolean(),
  detail: Type.String({ description: 'The finding.' }),
  mend: Nullable(Type.String({ description: 'The remedy; null if the check holds.' })),
})

/** The result of a sign-in or a validate, and its steps. */
const conclusion = {
  outcome: OneOf('allowed', 'refused'),
  code: Nullable(
    Type.String({
      description: 'The code of the refusal: from the error table, or `error` at the redirect URI.',
    }),
  ),
  steps: Type.Array(ExplainedStep, {
    description:
      'In their order. The first that is not ok refuses; what cannot be said because of it is left out.',
  }),
}

/** Null if there is neither its own server nor a main server. */
const ownServer = Nullable({ ...Snowflake, description: 'The server of the members who are let in there.' })

/** The results that a sign-in and a validate would have. */
export const Explanation = Type.Object({
  ...conclusion,
  roles: Type.Array(SessionRole, { description: 'Roles in the server, highest first.' }),
  rolesAsOf: Nullable({ ...DateTime, description: 'Null where nothing is known of the member there.' }),
  rolesSource: Nullable(OneOf('gateway', 'rest', 'mirror')),
  protectedHosts: Type.Optional(
    Type.Object(
      { hosts: Type.Array(Type.String()), serverId: ownServer, ...conclusion },
      { description: 'The result at a host that the project protects; absent if it protects none.' },
    ),
  ),
  openIdConnect: Type.Optional(
    Type.Object(
      { serverId: ownServer, ...conclusion },
      {
        description:
          'The result of a login by OpenID Connect; absent if that is off, or the project is inactive.',
      },
    ),
  ),
})

/** Explains why a member is admitted or refused, with the code that decides. */
export const explain = endpoint({
  method: 'POST',
  path: '/api/admin/explain',
  isRead: true,
  tag,
  summary: 'Why is this member let in or refused?',
  description:
    'The result of a login of the member in the project, and of a validate after it, at this moment. Every check is in `steps`, by the code ' +
    'that decides; nothing is written. The server is the main one, and the redirect URI the first of the project, unless they are ' +
    'named. `anyOf` and `allOf` are roles that the project asks for. `protectedHosts` and ' +
    '`openIdConnect` tell of these ways in, each in its own server; `outcome` is of the login alone. `assume` tries a change of the member without making it.',
  auth: 'admin',
  body: ExplainRequest,
  answers: { 200: Explanation },
  refuses: [],
})

export type ExplainedStep = Static<typeof ExplainedStep>
export type Explanation = Static<typeof Explanation>
export type ExplainRequest = Static<typeof ExplainRequest>
