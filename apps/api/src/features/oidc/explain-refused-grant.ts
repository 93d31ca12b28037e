import type Provider from 'oidc-provider'

/**
 * Adds `error_description` to the response if the library refuses a code or refresh token. It names the check that
 * failed, for example that the redirect URI differs. Only a client with a secret receives it, because anyone can send
 * the ID of a public client. A code or token of another client is reported like an unknown one.
 */
export const explainRefusedGrants = (provider: Provider) =>
  provider.on('grant.error', (ctx, { error, error_detail: detail }) => {
    const { client } = ctx.oidc
    if (error !== 'invalid_grant' || !detail || detail === 'client mismatch') return
    if (!client || client.clientAuthMethod === 'none') return
    ctx.body = { error, error_description: detail }
  })
