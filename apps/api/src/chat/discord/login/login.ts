import type { APIUser } from 'discord-api-types/v10'
import * as oauth from 'oauth4webapi'
import { createFairQueue, QueueFull } from '#platform/fair-queue'
import { readAnswer } from '#platform/outbound/read-answer'
import { type ChatPlatform, ChatPlatformError } from '../../chat-platform.ts'
import { toUser } from '../objects.ts'
import { type DiscordBudget, settled } from '../rest/budget.ts'
import { userAgent } from '../user-agent.ts'

export interface DiscordLoginOptions {
  readonly apiUrl: string
  readonly authorizeUrl: string
  readonly clientId: string
  readonly clientSecret: string
  readonly callbackUrl: string
  readonly budget: DiscordBudget
  /** Waits for a turn, so that all instances together observe the platform's limit for our address. */
  readonly exchangePace: () => Promise<void>
}

const deadlineMs = 4_000
/** The size limit of a response with tokens, or with a user. */
const maxBytes = 1024 * 1024
/**
 * Codes that the platform cannot have issued are rejected here; the platform's edge would treat them as an attack.
 */
const codeShape = /^[\w.~+/=-]{1,512}$/
/**
 * The maximum number of sign-ins on this instance that use the platform or wait for it, in total and per address. An
 * address that sends only bad codes may try one a second, if no other caller waits.
 */
const shares = {
  maxAtOnce: 32,
  maxAtOncePerCaller: 16,
  maxWaiting: 1_000,
  maxWaitingPerCaller: 100,
  maxWaitMs: 3_000,
  lastEveryMs: 1_000,
}
/** The smallest scopes that identify the user, and include the email address that the specification shows. */
const scopes = ['identify', 'email']

/** Creates the OAuth side of the platform: its screen, the code exchange, and one read with the member's token. */
export function createDiscordLogin(
  options: DiscordLoginOptions,
): Pick<ChatPlatform, 'authorizeUrl' | 'isIssuer' | 'identify' | 'isClientAccepted'> {
  const issuer = new URL(options.authorizeUrl).origin
  const server: oauth.AuthorizationServer = {
    issuer,
    authorization_endpoint: options.authorizeUrl,
    token_endpoint: `${options.apiUrl}/v10/oauth2/token`,
  }
  const client: oauth.Client = { client_id: options.clientId }
  // Sent in the body: the platform's secrets have characters that strict clients escape in Basic.
  const credentials: oauth.ClientAuth = (...sent) => oauth.ClientSecretPost(options.clientSecret)(...sent)
  const http = {
    [oauth.customFetch]: fetchWithin(options.budget),
    // Only a stand-in on this machine is contacted without TLS.
    [oauth.allowInsecureRequests]: options.apiUrl.startsWith('http:'),
  }
  const queue = createFairQueue({
    ...shares,
    turn: async () => {
      await options.budget.patience(exchange)
      await options.exchangePace()
    },
  })

  return {
    authorizeUrl: async ({ state, codeVerifier }) => {
      const url = new URL(options.authorizeUrl)
      url.search = new URLSearchParams({
        response_type: 'code',
        client_id: options.clientId,
        scope: scopes.join(' '),
        redirect_uri: options.callbackUrl,
        state,
        code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
        prompt: 'consent',
      }).toString()
      return url.href
    },
    isIssuer: (iss) => iss === undefined || iss === issuer,
    identify: async ({ code, codeVerifier, from }) => {
      refuseIncomplete(options)
      if (!codeShape.test(code)) throw new ChatPlatformError('refused', 'This is not a code of the platform.')
      try {
        return await queue.run(from, () => identifyOnce(code, codeVerifier), isTheirs)
      } catch (error) {
        if (!(error instanceof QueueFull)) throw error
        throw new ChatPlatformError('unavailable', 'Too many sign-ins are waiting for the chat platform.')
      }
    },
    isClientAccepted: async () => {
      refuseIncomplete(options)
      // A code that was never issued: a bad client is refused before the code is checked, and no token is created.
      const madeUp = { code: 'made-up', redirect_uri: options.callbackUrl }
      const { status } = await asChatPlatformError(() =>
        oauth.genericTokenEndpointRequest(server, client, credentials, 'authorization_code', madeUp, http),
      )
      if (status === 400 || status === 401) return status === 400
      throw statusError(status)
    },
  }

  async function identifyOnce(code: string, codeVerifier: string) {
    const answer = oauth.validateAuthResponse(server, client, new URLSearchParams({ code }))
    const token = await asChatPlatformError(async () => {
      const response = await oauth.authorizationCodeGrantRequest(
        server,
        client,
        credentials,
        answer,
        options.callbackUrl,
        codeVerifier,
        http,
      )
      return oauth.processAuthorizationCodeResponse(server, client, response)
    })
    if (token.scope !== undefined && !token.scope.split(' ').includes('identify')) {
      throw new ChatPlatformError('refused', 'The sign-in lacks the scope that identifies the account.')
    }
    const user = await asChatPlatformError(async () => {
      const response = await oauth.protectedResourceRequest(
        token.access_token,
        'GET',
        new URL(`${options.apiUrl}/v10/users/@me`),
        new Headers(),
        null,
        http,
      )
      if (response.ok) return (await response.json()) as APIUser
      await response.body?.cancel()
      throw response.status === 429 ? new MemberLimited() : statusError(response.status)
    })
    return toUser(user)
  }
}

/**
 * Throws without client ID or secret: outside production the service starts without them, and a sign-in is refused,
 * as the platform would refuse it.
 */
function refuseIncomplete({ clientId, clientSecret }: DiscordLoginOptions) {
  const needed = { CHAT_CLIENT_ID: clientId, CHAT_CLIENT_SECRET: clientSecret }
  const missing = Object.entries(needed).flatMap(([name, value]) => (value === '' ? [name] : []))
  if (missing.length === 0) return
  throw new ChatPlatformError(
    'refused',
    `A sign-in requires ${missing.join(' and ')}, which is not set.`,
    401,
  )
}

/** Thrown if the platform limits the member who signs in. */
class MemberLimited extends ChatPlatformError {
  constructor() {
    super('unavailable', 'The chat platform rate-limits this member.', 429)
  }
}

/** Returns true for a bad code, or a member who is limited: callers with many of them go last. */
const isTheirs = (error: unknown) =>
  error instanceof MemberLimited ||
  // A 401 concerns the service's own credentials.
  (error instanceof ChatPlatformError && error.failure === 'refused' && error.status !== 401)

const exchange = { lane: 'oauth' } as const
const membersRead = { lane: 'oauth', isMembers: true } as const

/** The code is exchanged in turns, so only the request that carries it is worth waiting for a limit. */
const fetchWithin =
  (budget: DiscordBudget): typeof fetchOnce =>
  async (url, init) => {
    const isExchange = url.endsWith('/oauth2/token')
    const ask = async () => {
      const spending = isExchange ? exchange : membersRead
      if (isExchange) await budget.spendInTurn(spending)
      else budget.spend(spending)
      return settled(budget, spending, fetchOnce(url, init))
    }
    const response = await ask()
    // The platform applies a limit before it checks the code, so the code is still valid: the next real attempt is
    // this one.
    if (response.status !== 429 || !isExchange) return response
    await budget.patience(exchange)
    return budget.pauseMs(exchange) > 0 ? response : ask()
  }

/**
 * Sends one request, bounded in time including the body, never redirected. A single-use code is never sent twice.
 */
async function fetchOnce(
  url: string,
  init: oauth.CustomFetchOptions<string, oauth.ProtectedResourceRequestBody | undefined>,
) {
  const signal = AbortSignal.timeout(deadlineMs)
  const response = await fetch(url, {
    method: init.method,
    headers: { ...init.headers, 'user-agent': userAgent },
    body: (init.body ?? null) as string | URLSearchParams | null,
    redirect: 'error',
    signal,
  })
  const body = await readAnswer(response, signal, maxBytes)
  if (!body)
    throw new ChatPlatformError('unexpected', 'The chat platform sent an oversized response to a sign-in.')
  const text = new TextDecoder().decode(body)
  return new Response(withoutIdToken(text), { status: response.status, headers: response.headers })
}

/** Removes an unrequested ID token, which some grants carry: its issuer differs, and it is not ours to verify. */
function withoutIdToken(text: string): string {
  if (!text.includes('"id_token"')) return text
  try {
    const { id_token: _, ...rest } = JSON.parse(text) as Record<string, unknown>
    return JSON.stringify(rest)
  } catch {
    return text
  }
}

const statusError = (status: number, code?: string) =>
  new ChatPlatformError(
    status === 429 || status >= 500 ? 'unavailable' : 'refused',
    `The chat platform returned status ${status}.`,
    status,
    code,
  )

/** Converts errors of the OAuth library, which contain the response and its tokens, to errors without them. */
async function asChatPlatformError<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof ChatPlatformError) throw error
    if (error instanceof oauth.ResponseBodyError) throw statusError(error.status, error.error)
    if (error instanceof oauth.WWWAuthenticateChallengeError) throw statusError(error.response.status)
    if (error instanceof oauth.OperationProcessingError) {
      const { cause } = error
      if (cause instanceof Response && cause.status !== 200) throw statusError(cause.status)
      throw new ChatPlatformError('unexpected', 'The chat platform sent an unexpected response to a sign-in.')
    }
    if (error instanceof SyntaxError) {
      throw new ChatPlatformError('unexpected', 'The chat platform sent a response that is not JSON.')
    }
    throw new ChatPlatformError('unavailable', 'The chat platform did not respond in time.')
  }
}
