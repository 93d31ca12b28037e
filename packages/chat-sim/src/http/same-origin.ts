import { type Call, header } from './call.ts'
import { PlatformError } from './platform-error.ts'

/**
 * Refuses a form that another site sent in the visitor's name. Programs send neither header and are let
 * through: they carry no visitor's cookie.
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
 * Refuses a name that is not ours: another site could point its own name at this address and then be of the
 * same origin with us. An address in numbers, or localhost, cannot be pointed anywhere.
 */
export function refuseForeignHost(call: Call, issuer: string): void {
  const { hostname } = new URL(call.origin)
  const isNumber = /^[\d.]+$|^\[/.test(hostname)
  if (isNumber || hostname === 'localhost' || hostname === new URL(issuer).hostname) return
  throw new PlatformError(403, 0, 'The control page is not to be had under this name.')
}
