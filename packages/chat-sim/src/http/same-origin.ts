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
