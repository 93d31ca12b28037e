import type Provider from 'oidc-provider'
import type { KoaContextWithOIDC } from 'oidc-provider'
import { consentDeclined } from './consent-page.ts'
import { LoginRefused } from './login-refused.ts'

/**
 * Adds `error_reason` to the redirect of a refused login. The library supports only `error` and `error_description`, so
 * this adds the parameter to the library's finished response, in each response mode.
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

/** Only pages distinguish whether the member declined at the platform or on the page for consent. */
const publicReason = (reason: string) => (reason === consentDeclined.error_reason ? 'declined' : reason)

function addReason(ctx: KoaContextWithOIDC, reason: string): void {
  const location = ctx.response.get('location')
  if (location) ctx.set('location', inRedirect(location, reason))
  else if (typeof ctx.body === 'string' && ctx.oidc.params?.['response_mode'] === 'form_post') {
    const input = `<input type="hidden" name="error_reason" value="${reason}"/>\n    `
    ctx.body = ctx.body.replace('<noscript>', `${input}<noscript>`)
  }
}

/** Appends to the text, so that the query of the redirect URI stays as it was registered. The error precedes it. */
const inRedirect = (location: string, reason: string): string => `${location}&error_reason=${reason}`
