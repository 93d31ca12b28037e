import type Provider from 'oidc-provider'

/**
 * Returns to a client with a secret which check refused its grant, for example that the redirect URI differs. A public
 * client receives only `invalid_grant`, because anyone can send its ID. A grant of another client looks like a missing
 * grant.
 */
export const explainRefusedGrants = (provider: Provider) =>
  provider.on('grant.error', (ctx, { error, error_detail: detail }) => {
    const { client } = ctx.oidc
    if (error !== 'invalid_grant' || !detail || detail === 'client mismatch') return
    if (!client || client.clientAuthMethod === 'none') return
    ctx.body = { error, error_description: detail }
  })
