import { type Static, Type } from 'typebox'
import { Closed, Nullable, Snowflake } from './formats.ts'

/** A project as an OpenID Connect client: its ID is the `client_id`, its API key the `client_secret`. */
export const OidcClient = Type.Object({
  enabled: Type.Boolean({ description: 'True if the project is an OpenID Connect client.' }),
  serverId: Nullable({
    ...Snowflake,
    description: 'The server in which members sign in; null if there is no main server.',
  }),
  publicClient: Type.Boolean({
    description: 'True if the client runs in a browser or an app. It then has no secret and must use PKCE.',
  }),
  postLogoutRedirectUris: Type.Array(Type.String({ pattern: '^[\\x21-\\x7e]+$' })),
  backchannelLogoutUri: Nullable(Type.String()),
  deviceFlow: Type.Boolean({
    description: 'True if devices without a browser can sign in with a code (device flow).',
  }),
  rolesInIdToken: Type.Boolean({
    description:
      'True to add the roles to the ID token, too. They can become stale there. `userinfo` always returns the ' +
      'current roles.',
  }),
  resources: Type.Array(Type.String({ pattern: '^[\\x21-\\x7e]+$' }), {
    description:
      'APIs of the project. Clients request a token with one of these URIs as `resource` (RFC 8707).',
  }),
  clientHosts: Type.Array(Type.String(), {
    description:
      'Hosts of client ID metadata documents. Programs that they describe may request tokens for `resources`.',
  }),
})

const Uri = { minLength: 1, maxLength: 2048 } as const

/** Changes of the client. Omitted fields keep their values; in a new project they get the defaults. */
export const OidcClientInput = Closed({
  enabled: Type.Optional(Type.Boolean()),
  serverId: Type.Optional(
    Nullable({ ...Snowflake, description: 'The server in which members sign in. Null is the main server.' }),
  ),
  publicClient: Type.Optional(Type.Boolean()),
  postLogoutRedirectUris: Type.Optional(
    Type.Array(Type.String({ ...Uri, description: 'The rules for redirect URIs apply.' }), { maxItems: 20 }),
  ),
  backchannelLogoutUri: Type.Optional(
    Nullable(
      Type.String({
        ...Uri,
        description:
          'The address that receives a logout token for each ended session. The rules for `eventsUrl` apply.',
      }),
    ),
  ),
  deviceFlow: Type.Optional(Type.Boolean()),
  rolesInIdToken: Type.Optional(Type.Boolean()),
  resources: Type.Optional(
    Type.Array(
      Type.String({
        ...{ minLength: 1, maxLength: 512 },
        description: 'An absolute URI without a fragment, compared character for character.',
      }),
      { maxItems: 20, uniqueItems: true },
    ),
  ),
  clientHosts: Type.Optional(
    Type.Array(
      Type.String({
        ...{ minLength: 1, maxLength: 259 },
        description: 'A host name in lower case, with the port unless it is the default.',
      }),
      { maxItems: 20, uniqueItems: true },
    ),
  ),
})

export type OidcClient = Static<typeof OidcClient>
export type OidcClientInput = Static<typeof OidcClientInput>
