import type Provider from 'oidc-provider'
import type { KoaContextWithOIDC } from 'oidc-provider'
import { consentDeclined } from './consent-page.ts'
import { LoginRefused } from './login-refused.ts'

/**
 * Adds `error_reason` to the redirect of a refused sign-in. The library supports only `error` and `error_description`,
 * so the parameter is added to the library's finished response: to the address, or to the form of `form_post`.
 */
export function sendReasons(provider: Provider): void {
  const reasons = new WeakMap<object, string>()
  provider.on('authorization.error', (ctx, error) => {
    const reason: unknown =
      error instanceof LoginRefused ? error.reason : ctx.oidc.entities.Interaction?.result?.['error_reason']
    if (typeof reason === 'string') reasons.set(ctx, publicReason(reason))
  })
  provider.use(async (ctx, next) => {
    await next()
    const reason = reasons.get(ctx)
    if (reason !== undefined) addReason(ctx as KoaContextWithOIDC, reason)
  })
}

/**
 * Returns the reason for the client, which is not told whether the member declined at Discord or on the consent page.
 */
const publicReason = (reason: string) => (reason === consentDeclined.error_reason ? 'declined' : reason)

function addReason(ctx: KoaContextWithOIDC, reason: string): void {
  const location = ctx.response.get('location')
  if (location) ctx.set('location', inRedirect(location, reason))
  else if (typeof ctx.body === 'string' && ctx.oidc.params?.['response_mode'] === 'form_post') {
    const input = `<input type="hidden" name="error_reason" value="${reason}"/>\n    `
    ctx.body = ctx.body.replace('<noscript>', `${input}<noscript>`)
  }
}

/**
 * Appends the parameter to the text of the address, so that the query of the redirect URI stays as it was registered.
 * The address has a query already, which contains `error`.
 */
const inRedirect = (location: string, reason: string): string => `${location}&error_reason=${reason}`
