import { isLoopbackHost } from '#platform/loopback'
import { parseUrl } from '#platform/parse-url'
import { version } from '#platform/version'
import { loadConfig } from '../../config.ts'
import { readEnvironment } from '../../process/environment.ts'
import { StartRefused } from '../../process/start-refused.ts'

/** The longest wait for a response. The service usually responds in milliseconds, but may need a request to Discord. */
const timeoutMs = 30_000

/**
 * Returns the address of the service: the given one, or PUBLIC_URL. Sessions are stored under this address.
 *
 * @throws StartRefused if a session must not be sent to this address
 */
export function readAddress(given: string | undefined): string {
  const address = printable(given ?? loadConfig(readEnvironment()).config.publicUrl)
  const url = parseUrl(address)
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw new StartRefused(`${address} is not the address of a service. Use the form https://id.example.`)
  }
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname)) {
    throw new StartRefused(
      `${address} is not encrypted, so others could read the session on its way. Use an address with https://.`,
    )
  }
  return url.href.replace(/\/$/, '')
}

interface Question {
  readonly token?: string
  readonly body?: object
}

interface ServiceResponse {
  readonly status: number
  readonly body: unknown
}

/**
 * Sends one request to the service.
 *
 * @throws StartRefused if no service responds
 */
export async function requestService(
  address: string,
  method: 'GET' | 'POST',
  path: string,
  { token, body }: Question,
): Promise<ServiceResponse> {
  try {
    const response = await fetch(address + path, {
      method,
      // A redirect could send the session token to another host.
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
      headers: {
        accept: 'application/json',
        // Lists of sessions show this name, so that people recognize the session.
        'user-agent': `rolecall/${version}`,
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: response.status, body: await response.json() }
  } catch {
    throw new StartRefused(
      `No Rolecall service responded at ${address}. Check the address, and that the service is running.`,
    )
  }
}

/**
 * Removes control characters, which a terminal would execute, and formatting characters, which change how other text
 * looks.
 */
export const printable = (text: string): string => text.replaceAll(/\p{C}/gu, '')

/** Returns a text field of a response so that it is safe to print. Returns an empty text if it is missing. */
export const textOf = (value: unknown, name: string): string => {
  const found: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
  return typeof found === 'string' ? printable(found) : ''
}

/** Returns the error for a response that refuses the request, with the message of the service. */
export const refusedBy = (address: string, { status, body }: ServiceResponse) =>
  new StartRefused(
    `${address} returned status ${status}. ${textOf(body, 'detail') || textOf(body, 'title')}`.trim(),
  )
