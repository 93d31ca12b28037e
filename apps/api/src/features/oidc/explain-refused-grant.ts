import type Provider from 'oidc-provider'

/**
 * Tells a client with a secret which check refused its grant, for example that the redirect URI differs. Anyone can send
 * the id of a public client, so that one learns only `invalid_grant`. A grant of another client looks absent.
 */
export const explainRefusedGrants = (provider: Provider) =>
  provider.on('grant.error', (ctx, { error, error_detail: detail }) => {
    const { client } = ctx.oidc
    if (error !== 'invalid_grant' || !detail || detail === 'client mismatch') return
    if (!client || client.clientAuthMethod === 'none') return
    ctx.body = { error, error_description: detail }
  })
