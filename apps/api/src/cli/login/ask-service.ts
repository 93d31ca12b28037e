import { isLoopbackHost } from '#platform/loopback'
import { parseUrl } from '#platform/parse-url'
import { version } from '#platform/version'
import { loadConfig } from '../../config.ts'
import { readEnvironment } from '../../process/environment.ts'
import { StartRefused } from '../../process/start-refused.ts'

/** The time limit: the service answers in milliseconds, or after a request to the chat platform. */
const answerWithinMs = 30_000

/**
 * Returns the address of the service as sessions are stored by it: the given one, or PUBLIC_URL.
 * @throws StartRefused for an address that a session must not be sent to
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

interface ServiceAnswer {
  readonly status: number
  readonly body: unknown
}

/**
 * Sends one request to the service.
 * @throws StartRefused if no service answers
 */
export async function askService(
  address: string,
  method: 'GET' | 'POST',
  path: string,
  { token, body }: Question,
): Promise<ServiceAnswer> {
  try {
    const response = await fetch(address + path, {
      method,
      // A session must not follow a redirect to another host.
      redirect: 'error',
      signal: AbortSignal.timeout(answerWithinMs),
      headers: {
        accept: 'application/json',
        // Lists of sessions show the program that began them.
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
 * Removes control characters, which a terminal executes, and formatting characters, which change how other text looks.
 */
export const printable = (text: string): string => text.replaceAll(/\p{C}/gu, '')

/** Returns a text of an answer, safe to print, or an empty one. */
export const textOf = (value: unknown, name: string): string => {
  const found: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
  return typeof found === 'string' ? printable(found) : ''
}

/** Returns the error for an answer that refuses, in the words of the service. */
export const refusedBy = (address: string, { status, body }: ServiceAnswer) =>
  new StartRefused(
    `${address} returned status ${status}. ${textOf(body, 'detail') || textOf(body, 'title')}`.trim(),
  )
