import type { IncomingMessage } from 'node:http'
import { mintLogin, Rolecall } from '@rolecall/sdk'
import { problemPage } from './error-pages.ts'
import { makeCookie, type Reply, readCookie } from './http.ts'
import { visitorCookie } from './member-pages.ts'
import { type Answer, recordingFetch } from './recorder.ts'
import type { createVisitors } from './visitors.ts'

export interface LoginTerms {
  readonly clientId: string
  readonly redirectUri: string
  readonly serverId: string
}

interface LoginOptions {
  readonly login: LoginTerms
  readonly rolecall: Rolecall
  readonly rolecallUrl: string
  readonly apiKey: string
  readonly visitors: ReturnType<typeof createVisitors>
}

/** The maximum duration of a sign-in, in seconds. */
const loginSec = 600
const monthSec = 2_592_000
/** Returns the name of a sign-in's cookie. Each sign-in has its own, because several tabs may sign in at once. */
const loginCookie = (state: string) => `login_${state}`

/** Creates the two handlers of the sign-in: the redirect to Rolecall, and the return from it. */
export function createLogin({ login: terms, rolecall, rolecallUrl, apiKey, visitors }: LoginOptions) {
  async function start(): Promise<Reply> {
    const login = mintLogin()
    return {
      redirect: await rolecall.authorizeUrl({ ...terms, ...login }),
      cookies: [makeCookie(loginCookie(login.state), login.codeVerifier, '/callback', loginSec)],
    }
  }

  async function callback(request: IncomingMessage, { searchParams: query }: URL): Promise<Reply> {
    const state = query.get('state') ?? ''
    const codeVerifier = /^[\w-]{43}$/.test(state) ? readCookie(request, loginCookie(state)) : undefined
    // Only the browser that started this sign-in has its cookie. A forged link, or another browser, ends here.
    if (!codeVerifier) return unknownLogin()
    const cookies = [makeCookie(loginCookie(state), '', '/callback', 0)]
    // Rejects a response that another service created (RFC 9207).
    if (query.get('iss') !== rolecallUrl) return { ...unknownLogin(), cookies }
    const code = query.get('code')
    if (!code) return { ...refused(query), cookies }

    let answer: Answer | undefined
    const fetch = recordingFetch(
      'rolecall.exchange({ clientId, code, redirectUri, codeVerifier })',
      (last) => {
        answer = last
      },
    )
    const { token, refreshToken } = await new Rolecall({ baseUrl: rolecallUrl, apiKey, fetch }).exchange({
      clientId: terms.clientId,
      redirectUri: terms.redirectUri,
      code,
      codeVerifier,
      client: { ip: request.socket.remoteAddress, userAgent: request.headers['user-agent'] },
    })
    visitors.remove(readCookie(request, visitorCookie))
    const id = visitors.add({ pair: { token, refreshToken }, ...(answer && { answer }) })
    return { redirect: '/', cookies: [...cookies, makeCookie(visitorCookie, id, '/', monthSec)] }
  }

  return { start, callback }
}

const unknownLogin = () =>
  problemPage(
    400,
    'This sign-in was not started here',
    'It belongs to another browser, was already used, or took longer than ten minutes. Start again.',
  )

/** Returns the page for a redirect without a code. The service states the reason in the query (RFC 6749 §4.1.2.1). */
function refused(query: URLSearchParams) {
  const error = query.get('error') ?? 'server_error'
  const [status, title] = refusals[error] ?? [502, 'The sign-in could not be completed']
  return problemPage(status, title, query.get('error_description') ?? 'No reason was given.', [
    ['error', error],
  ])
}

const refusals: Record<string, [status: number, title: string]> = {
  access_denied: [403, 'You were not signed in'],
  temporarily_unavailable: [503, 'Discord does not respond'],
}
