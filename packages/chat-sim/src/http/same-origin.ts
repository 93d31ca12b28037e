import { type Call, header } from './call.ts'
import { PlatformError } from './platform-error.ts'

/**
 * Rejects a form that another site sent with the visitor's cookie. Accepts requests of programs, which send neither
 * `Origin` nor `Sec-Fetch-Site`, because programs do not have the visitor's cookie.
 */
export function refuseCrossSite(call: Call): void {
  const site = header(call, 'sec-fetch-site')
  const origin = header(call, 'origin')
  const isCrossSite = site !== '' && site !== 'same-origin'
  if (isCrossSite || (origin !== '' && origin !== call.origin)) {
    throw new PlatformError(403, 0, 'This form must be sent from the page that it is on.')
  }
}

/**
 * Rejects an unknown host name. Another site could point its own name at this address, and would then have the same
 * origin (DNS rebinding). Accepts numeric addresses and localhost, because they cannot point elsewhere.
 */
export function refuseForeignHost(call: Call, issuer: string): void {
  const { hostname } = new URL(call.origin)
  const isNumber = /^[\d.]+$|^\[/.test(hostname)
  if (isNumber || hostname === 'localhost' || hostname === new URL(issuer).hostname) return
  throw new PlatformError(403, 0, 'The control page is not available under this host name.')
}
