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
  check: Type.String({ description: 'The step and its check, such as `authorize.project_active`.' }),
  ok: Type.Boolean(),
  detail: Type.String({ description: 'The result of the check in words.' }),
  mend: Nullable(Type.String({ description: 'The fix; null if the check passes.' })),
})

/** The result of a sign-in or a validate, and its steps. */
const conclusion = {
  outcome: OneOf('allowed', 'refused'),
  code: Nullable(
    Type.String({
      description: 'The code of the refusal: a code of the error reference, or `error` at the redirect URI.',
    }),
  ),
  steps: Type.Array(ExplainedStep, {
    description:
      'The checks in their order. The first failed check refuses the sign-in. Checks that depend on it are ' +
      'omitted.',
  }),
}

/** Null if there is neither its own server nor a main server. */
const ownServer = Nullable({
  ...Snowflake,
  description: 'The server in which members sign in here; null if there is no main server.',
})

/** The results that a sign-in and a validate would have. */
export const Explanation = Type.Object({
  ...conclusion,
  roles: Type.Array(SessionRole, { description: 'Roles in the server, highest first.' }),
  rolesAsOf: Nullable({ ...DateTime, description: 'Null if the member is unknown in this server.' }),
  rolesSource: Nullable(OneOf('gateway', 'rest', 'mirror')),
  protectedHosts: Type.Optional(
    Type.Object(
      { hosts: Type.Array(Type.String()), serverId: ownServer, ...conclusion },
      {
        description:
          'The result at a host that the project protects. Absent if the project protects no host.',
      },
    ),
  ),
  openIdConnect: Type.Optional(
    Type.Object(
      { serverId: ownServer, ...conclusion },
      {
        description:
          'The result of a sign-in with OpenID Connect. Absent if OpenID Connect is off, or if the project is ' +
          'inactive.',
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
  summary: 'Explain the access of a member',
  description:
    'Returns the result that a sign-in of the member to the project would have now, and that `validate` ' +
    'would have after it. `steps` contains every check, as the service would run it. Nothing is stored. ' +
    'Without `serverId` and `redirectUri`, the main server and the first redirect URI of the project are ' +
    'used. `anyOf` and `allOf` are the roles that your app requires. `outcome` is the result of a sign-in to ' +
    'an app. `protectedHosts` and `openIdConnect` contain the results for these ways to sign in, each in its ' +
    'own server. To simulate a change of the member, send `assume`.',
  auth: 'admin',
  body: ExplainRequest,
  answers: { 200: Explanation },
  refuses: [],
})

export type ExplainedStep = Static<typeof ExplainedStep>
export type Explanation = Static<typeof Explanation>
export type ExplainRequest = Static<typeof ExplainRequest>
