import type Provider from 'oidc-provider'
import type { errors, KoaContextWithOIDC } from 'oidc-provider'
import type { Tally } from '#platform/metrics/tally'

/** The label of each counted endpoint in the metrics, by the library's name of the route. */
const endpoints: Readonly<Record<string, string>> = {
  authorization: 'authorization',
  resume: 'authorization',
  token: 'token',
  userinfo: 'userinfo',
  introspection: 'introspection',
  revocation: 'revocation',
  pushed_authorization_request: 'pushed_authorization_request',
  device_authorization: 'device_authorization',
  code_verification: 'device',
  device_resume: 'device',
  end_session: 'end_session',
  end_session_confirm: 'end_session',
}

type Refused = (ctx: object, error: errors.OIDCProviderError) => void

/** Calls `refused` for each request that the library rejects, at any endpoint. */
export function onRefusal(provider: Provider, refused: Refused): void {
  provider.on('authorization.error', refused)
  provider.on('grant.error', refused)
  provider.on('userinfo.error', refused)
  provider.on('introspection.error', refused)
  provider.on('revocation.error', refused)
  provider.on('pushed_authorization_request.error', refused)
  provider.on('device_authorization.error', refused)
  provider.on('code_verification.error', refused)
  provider.on('device_resume.error', refused)
  provider.on('end_session.error', refused)
  provider.on('end_session_confirm.error', refused)
}

/**
 * Counts the responses of each endpoint by outcome: `ok`, `login` if a person has to sign in or consent first, or the
 * error code of the protocol.
 */
export function countResponses(provider: Provider, answers: Tally): void {
  const outcomes = new WeakMap<object, string>()
  provider.on('interaction.started', (ctx) => void outcomes.set(ctx, 'login'))
  onRefusal(provider, (ctx, { error }) => void outcomes.set(ctx, error))
  provider.on('server_error', (ctx) => void outcomes.set(ctx, 'server_error'))
  provider.use(async (ctx, next) => {
    await next()
    const endpoint = endpoints[(ctx as KoaContextWithOIDC).oidc?.route ?? '']
    if (endpoint) answers.count(endpoint, outcomes.get(ctx) ?? 'ok')
  })
}
