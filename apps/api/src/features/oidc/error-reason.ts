import type Provider from 'oidc-provider'
import type { KoaContextWithOIDC } from 'oidc-provider'
import type { LoginProblem } from './browser-login.ts'

/** A refusal as the library keeps it until the browser returns from the login. */
export const refusedResult = ({ error, reason, description }: LoginProblem) => ({
  error,
  error_reason: reason,
  error_description: description,
})

/** Notes on an error why the login was refused. */
export const withReason = (error: Error, reason: string): Error =>
  Object.assign(error, { error_reason: reason })

/**
 * Adds `error_reason` to the redirect of a refused login. The library knows only `error` and `error_description`, so the
 * parameter is added to its finished response, in each response mode.
 */
export function sendReasons(provider: Provider): void {
  const reasons = new WeakMap<object, string>()
  provider.on('authorization.error', (ctx, error) => {
    const reason = reasonOf(error) ?? reasonOf(ctx.oidc.entities.Interaction?.result)
    if (reason !== undefined) reasons.set(ctx, reason)
  })
  provider.use(async (ctx, next) => {
    await next()
    const reason = reasons.get(ctx)
    if (reason !== undefined) addReason(ctx as KoaContextWithOIDC, reason)
  })
}

function reasonOf(refused: unknown): string | undefined {
  const reason: unknown = Object(refused)['error_reason']
  return typeof reason === 'string' ? reason : undefined
}

function addReason(ctx: KoaContextWithOIDC, reason: string): void {
  const location = ctx.response.get('location')
  if (location) ctx.set('location', inRedirect(location, reason, ctx.oidc.params?.['response_mode']))
  else if (typeof ctx.body === 'string' && ctx.oidc.params?.['response_mode'] === 'form_post') {
    const input = `<input type="hidden" name="error_reason" value="${reason}"/>\n    `
    ctx.body = ctx.body.replace('<noscript>', `${input}<noscript>`)
  }
}

function inRedirect(location: string, reason: string, mode: unknown): string {
  const url = new URL(location)
  if (mode === 'fragment') url.hash += `&error_reason=${reason}`
  else url.searchParams.set('error_reason', reason)
  return url.href
}
