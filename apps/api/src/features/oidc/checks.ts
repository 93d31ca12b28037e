import type { Check } from '../../checks/check.ts'
import type { ClientRow } from './clients-store.ts'

type ClientCheck = Check<Pick<ClientRow, 'serverId' | 'isPublic' | 'keyDigests'>, 'invalid_client'>

/**
 * The checks of a project for which OpenID Connect is on. A project that fails one of them is treated as an unknown
 * client.
 */
export const clientChecks: readonly ClientCheck[] = [
  {
    ...{ name: 'oidc.server_known', refusal: 'invalid_client', code: 'invalid_client' },
    fix:
      'Set a server on the OpenID Connect tab of the project in the console (oidc.serverId), or make a ' +
      'server the main server.',
    holds: ({ serverId }) => serverId !== null,
    describe: ({ serverId }) =>
      serverId === null
        ? 'OpenID Connect is on, but no server is set.'
        : `OpenID Connect is on, for server ${serverId}.`,
  },
  {
    ...{ name: 'oidc.client_authenticates', refusal: 'invalid_client', code: 'invalid_client' },
    fix: 'Add an API key on the Keys tab of the project in the console. It is the client secret.',
    holds: ({ isPublic, keyDigests }) => isPublic || keyDigests.length > 0,
    describe: ({ isPublic, keyDigests }) => {
      if (isPublic) return 'The client is public and has no secret.'
      return keyDigests.length > 0
        ? 'The client has a valid API key as its secret.'
        : 'The client has no valid API key, so it has no secret.'
    },
  },
]
