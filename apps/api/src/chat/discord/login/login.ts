import type { APIUser } from 'discord-api-types/v10'
import * as oauth from 'oauth4webapi'
import { createFairQueue, QueueFull } from '#platform/fair-queue'
import { readAnswer } from '#platform/outbound/read-answer'
import { type ChatPlatform, ChatPlatformError } from '../../chat-platform.ts'
import { toUser } from '../objects.ts'
import { type DiscordBudget, recordingResponse, type Spending } from '../rest/budget.ts'
import { userAgent } from '../user-agent.ts'

export interface DiscordLoginOptions {
  readonly apiUrl: string
  readonly authorizeUrl: string
  readonly clientId: string
  readonly clientSecret: string
  readonly callbackUrl: string
  readonly budget: DiscordBudget
  /** Waits for a turn, so that all instances together stay below Discord's limit for an IP address. */
  readonly exchangePace: () => Promise<void>
}

const deadlineMs = 4_000
/** The maximum size of a response in bytes. */
const maxBytes = 1024 * 1024
/** The form of Discord's codes. Anything else is rejected here, because Discord's edge would treat it as an attack. */
const codeShape = /^[\w.~+/=-]{1,512}$/
/**
 * The limits of sign-ins that use Discord or wait for it on this instance, in total and per IP address. An address that
 * sends only invalid codes can try one per second, if no other address is waiting.
 */
const queueLimits = {
  maxAtOnce: 32,
  maxAtOncePerCaller: 16,
  maxWaiting: 1_000,
  maxWaitingPerCaller: 100,
  maxWaitMs: 3_000,
  lastEveryMs: 1_000,
}
/** The smallest scopes that identify the user and include the email address. */
const scopes = ['identify', 'email']

/**
 * Creates the OAuth part of the platform: the address of the sign-in screen, the exchange of the code, and one request
 * with the member's token.
 */
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
  // Sent in the body. Discord's secrets contain characters that strict clients would escape in a Basic header.
  const credentials: oauth.ClientAuth = (...sent) => oauth.ClientSecretPost(options.clientSecret)(...sent)
  const http = {
    [oauth.customFetch]: fetchWithin(options.budget),
    // True only for a substitute for Discord on this machine, in tests and demos.
    [oauth.allowInsecureRequests]: options.apiUrl.startsWith('http:'),
  }
  const queue = createFairQueue({
    ...queueLimits,
    turn: async () => {
      await options.budget.waitForPause(exchange)
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
      requireCredentials(options)
      if (!codeShape.test(code)) throw new ChatPlatformError('refused', 'This is not a code of the platform.')
      try {
        return await queue.run(from, () => identifyOnce(code, codeVerifier), isCausedByCaller)
      } catch (error) {
        if (!(error instanceof QueueFull)) throw error
        throw new ChatPlatformError('unavailable', 'Too many sign-ins are waiting for Discord.')
      }
    },
    isClientAccepted: async () => {
      requireCredentials(options)
      // This code was never issued. Discord checks the client before the code, so the error shows whether the client is
      // accepted, and no token is created.
      const unissued = { code: 'made-up', redirect_uri: options.callbackUrl }
      const { status } = await asChatPlatformError(() =>
        oauth.genericTokenEndpointRequest(server, client, credentials, 'authorization_code', unissued, http),
      )
      if (status === 400 || status === 401) return status === 400
      throw statusError(status)
    },
  }

  async function identifyOnce(code: string, codeVerifier: string) {
    const callbackParameters = oauth.validateAuthResponse(server, client, new URLSearchParams({ code }))
    const token = await asChatPlatformError(async () => {
      const response = await oauth.authorizationCodeGrantRequest(
        server,
        client,
        credentials,
        callbackParameters,
        options.callbackUrl,
        codeVerifier,
        http,
      )
      if (response.status === 401) throw clientRejected()
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
 * Throws if the client ID or secret is missing. Outside production, the service starts without them, and rejects
 * sign-ins as Discord would.
 */
function requireCredentials({ clientId, clientSecret }: DiscordLoginOptions) {
  const needed = { CHAT_CLIENT_ID: clientId, CHAT_CLIENT_SECRET: clientSecret }
  const missing = Object.entries(needed).flatMap(([name, value]) => (value === '' ? [name] : []))
  if (missing.length === 0) return
  throw new ChatPlatformError(
    'refused',
    `A sign-in requires ${missing.join(' and ')}, which is not set.`,
    401,
  )
}

/** Creates the error for a wrong client ID or secret. Its message tells the operator the fix, in the log. */
const clientRejected = () =>
  new ChatPlatformError(
    'refused',
    'Discord rejects CHAT_CLIENT_ID and CHAT_CLIENT_SECRET with status 401. Correct them and restart.',
    401,
  )

/** Thrown if Discord limits the requests of the member who signs in. */
class MemberLimited extends ChatPlatformError {
  constructor() {
    super('unavailable', 'Discord rate-limits this member.', 429)
  }
}

/**
 * Returns true if the caller has caused the error: an invalid code, or a member with too many requests. Addresses that
 * cause only such errors go last.
 */
const isCausedByCaller = (error: unknown) =>
  error instanceof MemberLimited ||
  // A 401 means that the credentials of this service are wrong.
  (error instanceof ChatPlatformError && error.failure === 'refused' && error.status !== 401)

const exchange: Spending = { lane: 'oauth' }
const memberRead: Spending = { lane: 'oauth', usesMemberToken: true }

/**
 * Wraps `fetchOnce` with the budget. Codes are exchanged one after another, so only that request waits for the end of a
 * limit.
 */
const fetchWithin =
  (budget: DiscordBudget): typeof fetchOnce =>
  async (url, init) => {
    const isExchange = url.endsWith('/oauth2/token')
    const send = async () => {
      const spending = isExchange ? exchange : memberRead
      if (isExchange) await budget.spendAfterPause(spending)
      else budget.spend(spending)
      return recordingResponse(budget, spending, fetchOnce(url, init))
    }
    const response = await send()
    // Discord applies its limit before it checks the code, so the code is still valid and can be sent again.
    if (response.status !== 429 || !isExchange) return response
    await budget.waitForPause(exchange)
    return budget.pauseMs(exchange) > 0 ? response : send()
  }

/**
 * Sends one request, with a time limit that includes the body, and without following redirects. Never repeats it,
 * because a code is valid only once.
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
  if (!body) throw new ChatPlatformError('unexpected', 'Discord sent an oversized response to a sign-in.')
  const text = new TextDecoder().decode(body)
  return new Response(withoutIdToken(text), { status: response.status, headers: response.headers })
}

/**
 * Removes an ID token that was not requested, as some grants contain it. Its issuer is different, so the OAuth library
 * would reject it.
 */
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
    `Discord returned status ${status}.`,
    status,
    code,
  )

/** Converts the errors of the OAuth library, which contain the response with its tokens, to errors without them. */
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
      throw new ChatPlatformError('unexpected', 'Discord sent an unexpected response to a sign-in.')
    }
    if (error instanceof SyntaxError) {
      throw new ChatPlatformError('unexpected', 'Discord sent a response that is not JSON.')
    }
    throw new ChatPlatformError('unavailable', 'Discord did not respond in time.')
  }
}
