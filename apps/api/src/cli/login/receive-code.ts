import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { renderPage } from '#platform/http/page'
import { inLanguage } from '#platform/http/reader'
import { parseUrl } from '#platform/parse-url'
import { StartRefused } from '../../process/start-refused.ts'
import { checkIssuer } from './check-issuer.ts'

const host = '127.0.0.1'
const path = '/callback'

/** The callback that the command waits for. */
interface Awaited {
  /** The state of this sign-in. Requests without it come from elsewhere. */
  readonly state: string
  /** The address of the service. The callback must name it (RFC 9207). */
  readonly issuer: string
  readonly waitSec: number
}

/** The steps of the command while it waits, and afterwards. */
interface Steps<T> {
  /** Called when the port is open, with the redirect URI. */
  readonly listening: (redirectUri: string) => void
  /** Redeems the code. The page in the browser shows whether that succeeds. */
  readonly redeem: (code: string) => Promise<T>
}

/**
 * Waits for the browser on a loopback port, and redeems the code that it delivers (RFC 8252 §7.3).
 *
 * Only the first request with the right state counts. All others get a 404, because any page in the browser can send
 * requests to this port.
 *
 * @throws StartRefused if the sign-in was canceled or refused, or takes too long
 */
export async function receiveCode<T>(awaited: Awaited, { listening, redeem }: Steps<T>): Promise<T> {
  const server = createServer()
  try {
    const callback = nextCallback(server, awaited)
    // The callback may fail before it is awaited. Without a handler, that would end the process.
    callback.catch(() => {})
    listening(`http://${host}:${await listen(server)}${path}`)
    const { query, response } = await callback
    return await answered(response, redeemFrom(query, awaited.issuer, redeem))
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

interface Callback {
  readonly query: URLSearchParams
  readonly response: ServerResponse
}

const nextCallback = (server: Server, { state, waitSec }: Awaited) =>
  new Promise<Callback>((resolve, reject) => {
    const timer = setTimeout(() => reject(tooLate(waitSec)), waitSec * 1_000)
    let isDecided = false
    server.on('request', (request, response) => {
      const query = callbackOf(request)?.searchParams
      if (isDecided || query?.get('state') !== state) {
        show(response, 404, 'Nothing to do here', ['No command line is waiting at this address.'])
        return
      }
      isDecided = true
      clearTimeout(timer)
      resolve({ query, response })
    })
  })

/**
 * Shows in the browser whether the code was redeemed. Waits until the page was sent, because the process ends soon
 * after.
 */
async function answered<T>(response: ServerResponse, redeemed: Promise<T>): Promise<T> {
  const left = new Promise((resolve) => response.once('close', resolve))
  try {
    const value = await redeemed
    show(response, 200, 'You are signed in', ['You can close this window and return to your terminal.'])
    return value
  } catch (error) {
    show(response, 400, 'You are not signed in', [
      'Your terminal shows the reason. You can close this window.',
    ])
    throw error
  } finally {
    await left
  }
}

async function listen(server: Server): Promise<number> {
  server.listen(0, host)
  try {
    await once(server, 'listening')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new StartRefused(
      `No port of ${host} can be opened (${code}). Run \`rolecall login --paste\` instead.`,
    )
  }
  return (server.address() as AddressInfo).port
}

function callbackOf({ method, url = '' }: IncomingMessage): URL | undefined {
  const parsed = parseUrl(url, `http://${host}`)
  return method === 'GET' && parsed?.pathname === path ? parsed : undefined
}

async function redeemFrom<T>(query: URLSearchParams, issuer: string, redeem: Steps<T>['redeem']): Promise<T> {
  checkIssuer(query.get('iss'), issuer)
  const code = query.get('code')
  if (code === null) throw new StartRefused('The sign-in was canceled in the browser. Nothing was stored.')
  return redeem(code)
}

const tooLate = (waitSec: number) =>
  new StartRefused(`No sign-in arrived within ${waitSec} seconds. Run \`rolecall login\` again.`)

function show(response: ServerResponse, status: number, title: string, paragraphs: string[]): void {
  const { body, headers } = renderPage(inLanguage('en'), { title, paragraphs })
  response.writeHead(status, {
    ...headers,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    connection: 'close',
  })
  response.end(body)
}
