import type { APIUser } from 'discord-api-types/v10'
import * as oauth from 'oauth4webapi'
import { type ChatPlatform, ChatPlatformError } from './chat-platform.ts'
import type { DiscordBudget } from './discord-budget.ts'
import { toUser } from './discord-objects.ts'
import { userAgent } from './discord-user-agent.ts'

export interface DiscordLoginOptions {
  readonly apiUrl: string
  readonly authorizeUrl: string
  readonly clientId: string
  readonly clientSecret: string
  readonly callbackUrl: string
  readonly budget: DiscordBudget
}

const deadlineMs = 4_000
/** The least that tells who it is, and the e-mail that the specification shows. */
const scopes = ['identify', 'email']

/** The OAuth side of the platform: its screen, the code exchange, and one read with the member's token. */
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
  // In the body: the platform's secrets have characters that strict clients escape in Basic.
  const credentials = oauth.ClientSecretPost(options.clientSecret)
  const http = {
    [oauth.customFetch]: fetchWithin(options.budget),
    // Only a stand-in on this machine is ever spoken to without TLS.
    [oauth.allowInsecureRequests]: options.apiUrl.startsWith('http:'),
  }

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
    identify: async ({ code, codeVerifier }) => {
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
        throw new ChatPlatformError('refused', 'The login was granted without the right to see who it is.')
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
        throw statusError(response.status)
      })
      return toUser(user)
    },
    isClientAccepted: async () => {
      // A code that nobody was given: whoever is no good client is refused before it is looked at, and no token is made.
      const madeUp = { code: 'made-up', redirect_uri: options.callbackUrl }
      const { status } = await asChatPlatformError(() =>
        oauth.genericTokenEndpointRequest(server, client, credentials, 'authorization_code', madeUp, http),
      )
      if (status === 400 || status === 401) return status === 400
      throw statusError(status)
    },
  }
}

/** Only the token endpoint tells of our own credentials; what a member's token may is another matter. */
const fetchWithin =
  (budget: DiscordBudget): typeof fetchOnce =>
  async (url, init) => {
    const spending = { lane: 'oauth' as const }
    budget.spend(spending)
    const response = await fetchOnce(url, init)
    const isMembers = response.status === 401 && !url.endsWith('/oauth2/token')
    budget.settle(
      spending,
      isMembers ? 400 : response.status,
      response.headers.get('x-ratelimit-scope') === 'shared',
    )
    return response
  }

/** One try, bounded in time including the body, never redirected. A single-use code is never sent twice. */
async function fetchOnce(
  url: string,
  init: oauth.CustomFetchOptions<string, oauth.ProtectedResourceRequestBody | undefined>,
) {
  const response = await fetch(url, {
    method: init.method,
    headers: { ...init.headers, 'user-agent': userAgent },
    body: (init.body ?? null) as string | URLSearchParams | null,
    redirect: 'error',
    signal: AbortSignal.timeout(deadlineMs),
  })
  const text = await response.text()
  return new Response(withoutIdToken(text), { status: response.status, headers: response.headers })
}

/** Some grants carry an ID token that nobody asked for, of an issuer of its own: it is not ours to check. */
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
    `The chat platform answered ${status}.`,
    status,
    code,
  )

/** Errors of the OAuth library carry the response, and with it tokens; ours never do. */
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
      throw new ChatPlatformError('unexpected', 'The chat platform answered a login with something else.')
    }
    if (error instanceof SyntaxError) {
      throw new ChatPlatformError('unexpected', 'The chat platform answered something that is not JSON.')
    }
    throw new ChatPlatformError('unavailable', 'The chat platform did not answer in time.')
  }
}
