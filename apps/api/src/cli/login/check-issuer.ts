import { StartRefused } from '../../process/start-refused.ts'
import { printable } from './ask-service.ts'

/**
 * Checks that a code is from the service that it will be sent to (RFC 9207). Without this check, a service at another
 * address could redirect the browser to this service with the same challenge, and would then receive a code and
 * verifier that are valid here.
 * @throws StartRefused for another issuer
 */
export function checkIssuer(issuer: string | null, address: string): void {
  if (issuer === address) return
  throw new StartRefused(
    `The response came from ${printable(JSON.stringify(issuer))} and not from ${address}. If both are your service, run \`rolecall login\` with the address in its PUBLIC_URL.`,
  )
}
