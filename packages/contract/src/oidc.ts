import { type Static, Type } from 'typebox'
import { Closed, Nullable, Snowflake } from './formats.ts'

/** A project as an OpenID Connect client: its ID is the `client_id`, its API key the `client_secret`. */
export const OidcClient = Type.Object({
  enabled: Type.Boolean({ description: 'Off, the project is no client.' }),
  serverId: Nullable({
    ...Snowflake,
    description: 'The server of the members who may log in; null while there is no main one.',
  }),
  publicClient: Type.Boolean({ description: 'Runs in a browser or an app: no secret, and PKCE always.' }),
  postLogoutRedirectUris: Type.Array(Type.String({ pattern: '^[\\x21-\\x7e]+$' })),
  backchannelLogoutUri: Nullable(Type.String()),
  deviceFlow: Type.Boolean({ description: 'Devices without a browser may log in by a code.' }),
  rolesInIdToken: Type.Boolean({ description: 'Also in the ID token, where they age; userinfo is live.' }),
  resources: Type.Array(Type.String({ pattern: '^[\\x21-\\x7e]+$' }), {
    description:
      'APIs of the project. Clients ask for a token with one of these URIs as `resource` (RFC 8707).',
  }),
})

const Uri = { minLength: 1, maxLength: 2048 } as const

/** Changes of the client. Omitted fields keep their values; in a new project they get the defaults. */
export const OidcClientInput = Closed({
  enabled: Type.Optional(Type.Boolean()),
  serverId: Type.Optional(Nullable({ ...Snowflake, description: 'Null: the main server.' })),
  publicClient: Type.Optional(Type.Boolean()),
  postLogoutRedirectUris: Type.Optional(
    Type.Array(Type.String({ ...Uri, description: 'By the rules of redirect URIs.' }), { maxItems: 20 }),
  ),
  backchannelLogoutUri: Type.Optional(
    Nullable(
      Type.String({
        ...Uri,
        description: 'Hears of every session that ends. By the rules of `eventsUrl`.',
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
})

export type OidcClient = Static<typeof OidcClient>
export type OidcClientInput = Static<typeof OidcClientInput>
