import { StartRefused } from '../../process/start-refused.ts'
import { printable } from './ask-service.ts'

/**
 * Checks that a code comes from the service that it will be sent to (RFC 9207). Otherwise, a malicious service could
 * redirect the browser to the real one with the challenge of this command. The command would then send the malicious
 * service a code and a verifier that are valid at the real one.
 *
 * @throws StartRefused if the code comes from another service
 */
export function checkIssuer(issuer: string | null, address: string): void {
  if (issuer === address) return
  throw new StartRefused(
    `The response came from ${printable(JSON.stringify(issuer))} and not from ${address}. If both are your service, run \`rolecall login\` with the address in its PUBLIC_URL.`,
  )
}
