import { type Call, header } from './call.ts'
import { PlatformError } from './platform-error.ts'

/**
 * Rejects a form that another site sent with the visitor's cookie. Programs send neither header and are accepted: they
 * have no visitor's cookie.
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
 * Rejects a foreign host name: another site could point its own name at this address and then have the same origin. A
 * numeric address, or localhost, cannot be redirected.
 */
export function refuseForeignHost(call: Call, issuer: string): void {
  const { hostname } = new URL(call.origin)
  const isNumber = /^[\d.]+$|^\[/.test(hostname)
  if (isNumber || hostname === 'localhost' || hostname === new URL(issuer).hostname) return
  throw new PlatformError(403, 0, 'The control page is not to be had under this name.')
}
