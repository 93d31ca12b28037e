import type { ServerResponse } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { singleFlight } from '#platform/async'
import { Answer } from '#platform/http/answer'
import { clientOf, tooMany } from '#platform/http/router'
import { addressBucket } from '#platform/rate-limit/address-bucket'
import { createRateLimiter } from '#platform/rate-limit/rate-limiter'
import { hasClients } from './clients-store.ts'
import { isKnownOrigin } from './cors.ts'
import type { Engine } from './engine.ts'
import { loadEngine } from './load-engine.ts'
import type { OidcDeps } from './oidc-deps.ts'
import { OidcRequest } from './oidc-request.ts'

/** The maximum length of a URL. The library stores parts of a request, and no valid request is longer. */
const maxUrlLength = 4_096
/**
 * The content security policy of a response that submits a form to the client (OAuth 2.0 Form Post Response Mode). The
 * library adds the hash of its script to `script-src`, which permits no other script.
 */
const formPolicy = "default-src 'none'; script-src 'report-sample'; base-uri 'none'; frame-ancestors 'none'"
/** The limit of device codes that one IP address may enter in ten minutes, so that codes cannot be guessed. */
const guesses = { limit: 30, windowMs: 600_000 }

/**
 * Creates the OpenID Connect provider of the service. The protocol library takes a quarter of a second and 30 MB to
 * load. So it is loaded for the first request or, if a project uses OpenID Connect, after the start of the service.
 *
 * Handlers that return undefined have sent the response through `release()`, which hands the raw response to the
 * library.
 */
export function createOidc(deps: OidcDeps) {
  const { config, log, db } = deps
  const limiter = createRateLimiter({ cache: deps.cache, ...guesses, name: 'device-code' })
  let engine: Engine | undefined
  const load = singleFlight(async (): Promise<Engine> => {
    const { createEngine } = await loadEngine(deps)
    engine = await createEngine(deps)
    return engine
  })
  const loaded = async () => engine ?? load()

  const requestOf = (request: FastifyRequest, failure?: unknown) => {
    const { raw } = request
    const { url, userCode } = addressOf(raw.url ?? '')
    const body = withScope(url, bodyOf(request))
    return new OidcRequest(
      { raw, url, body, userCode, failure },
      { client: clientOf(request), bucket: addressBucket(request.ip), publicUrl: config.publicUrl },
    )
  }

  /** Passes a request to the library. If `failure` is set, the library responds with this error. */
  const byLibrary = async (
    request: FastifyRequest,
    release: () => ServerResponse,
    failure?: unknown,
  ): Promise<Answer | undefined> => {
    const { provider } = await loaded()
    if ((request.raw.url?.length ?? 0) > maxUrlLength) {
      const { tooLongPage } = await import('./engine.ts')
      return tooLongPage(request.raw, request.id)
    }
    const { origin } = request.headers
    const isKnown = origin !== undefined && (await isKnownOrigin(deps, origin).catch(() => false))
    const response = release()
    if (request.raw.url?.startsWith('/oidc/auth')) response.setHeader('content-security-policy', formPolicy)
    if (origin !== undefined && !isKnown) withoutCors(response)
    await provider.callback()(requestOf(request, failure), response)
    return undefined
  }

  return {
    /** Loads the library if a project uses OpenID Connect, so that the first request does not wait for it. */
    async start(): Promise<void> {
      try {
        if (await hasClients(db)) await loaded()
      } catch (err) {
        log.debug({ err }, 'OpenID Connect preload failed: loading with the first request')
      }
    },
    close(): void {
      engine?.close()
    },
    /** Responds to a token request: by the fast path if the request is ordinary, and otherwise by the library. */
    async answerGrant(request: FastifyRequest, release: () => ServerResponse): Promise<Answer | undefined> {
      const { answerPlainGrant, keys } = await loaded()
      let failure: unknown
      try {
        const response = await answerPlainGrant(request.raw, bodyOf(request), keys)
        if (response) return response
      } catch (error) {
        failure = error
      }
      return byLibrary(request, release, failure)
    },
    answer: byLibrary,
    async showInteraction(request: FastifyRequest): Promise<Answer> {
      const { provider, interaction } = await loaded()
      return interaction.show(provider, requestOf(request))
    },
    async answerInteraction(request: FastifyRequest, decision: string | null): Promise<Answer> {
      const { provider, interaction } = await loaded()
      return interaction.answer(provider, requestOf(request), decision)
    },
    async logoutAnswered(request: FastifyRequest, form: URLSearchParams): Promise<Answer> {
      const { logoutAnswered, lostPage } = await loaded()
      const answered = await logoutAnswered(request.headers.cookie, {
        request: form.get('request') ?? '',
        logout: form.get('logout') ?? '',
      })
      if (!answered) return lostPage(request.raw, request.id)
      const { location, cookies } = answered
      return new Answer(303, undefined, {
        location,
        ...(cookies.length > 0 && { 'set-cookie': [...cookies] }),
      })
    },
    /**
     * Counts a device code that a person enters.
     *
     * @throws RATE_LIMITED
     */
    async countGuess(request: FastifyRequest): Promise<void> {
      const verdict = await limiter.consume(addressBucket(request.ip))
      if (!verdict.allowed) throw tooMany(limiter, verdict)
    },
  }
}

const bodyOf = ({ body }: FastifyRequest) => (body instanceof Buffer ? body : Buffer.alloc(0))

/**
 * Removes the device code from the address of the device page, and returns it separately. The page shows the code in
 * its form. With the code in the address, the library would submit it without the person's confirmation.
 */
function addressOf(url: string): { url: string; userCode?: string } {
  const [path = '', query = ''] = url.split('?')
  if (path !== '/device') return { url }
  const userCode = new URLSearchParams(query).get('user_code')?.slice(0, 40)
  return { url: path, ...(userCode !== undefined && { userCode }) }
}

/**
 * Adds the scope `openid` to the request of a device that requests no scope. The library has no default, so the device
 * would get no access at all.
 */
function withScope(url: string, body: Buffer): Buffer {
  if (url.split('?')[0] !== '/oidc/device_authorization') return body
  const form = new URLSearchParams(body.toString('utf8'))
  const scopes = form.getAll('scope')
  // The library reports a repeated parameter as an error.
  if (scopes.length > 1 || scopes[0]?.trim()) return body
  form.set('scope', 'openid')
  return Buffer.from(form.toString())
}

/** Suppresses the CORS headers of a response, so that a page of an unknown origin cannot read it. */
function withoutCors(response: ServerResponse) {
  const setHeader = response.setHeader.bind(response)
  response.setHeader = (name, value) =>
    name.toLowerCase().startsWith('access-control-') ? response : setHeader(name, value)
}
