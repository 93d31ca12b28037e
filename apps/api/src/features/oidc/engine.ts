import { type IncomingMessage, ServerResponse } from 'node:http'
import type Provider from 'oidc-provider'
import { Answer } from '#platform/http/answer'
import { type Reader, readerOf } from '#platform/http/reader'
import { parseUrl } from '#platform/parse-url'
import { errorPage } from './error-page.ts'
import { answerInteraction, showInteraction } from './interaction.ts'
import { logoutAnswered } from './logout.ts'
import type { OidcDeps } from './oidc-deps.ts'
import type { OidcRequest } from './oidc-request.ts'
import { createPlainGrants } from './plain-grants.ts'
import { createProvider } from './provider.ts'
import { createRedemptions } from './redemptions.ts'
import { loadSigningKeys, type SigningKeys } from './signing-keys.ts'
import { orOwnError } from './unavailable.ts'

/**
 * The interval at which every instance checks for new signing keys. A new key is published for an hour before it signs,
 * so every instance knows it by then.
 */
const keysEveryMs = 60_000

// The library requires `URL.parse`, which the first supported versions of Node.js 20 lack.
if (!('parse' in URL)) {
  Object.assign(URL, { parse: (text: string, base?: string) => parseUrl(text, base) ?? null })
}

/** The protocol library with the current signing keys, and everything that depends on it. */
export type Engine = Awaited<ReturnType<typeof createEngine>>

/**
 * Creates the protocol library (`oidc-provider`) with the current signing keys. When the keys change, it creates the
 * library anew, so `provider` must be read again for each request. Call `close` to stop the checks for new keys.
 *
 * @throws ENCRYPTION_KEY_MISSING
 */
export async function createEngine(given: OidcDeps) {
  const deps = { ...given, redemptions: createRedemptions(given) }
  const { db, config, log } = deps
  let keys = await loadSigningKeys({ db, config })
  let provider = createProvider(deps, keys)
  const refresh = async () => {
    try {
      const now = await loadSigningKeys({ db, config })
      if (namesOf(now) === namesOf(keys)) return
      keys = now
      provider = createProvider(deps, keys)
    } catch (err) {
      // The known keys remain in use. The database client logs an outage.
      log.debug({ err }, 'signing key refresh failed')
    }
  }
  const timer = setInterval(() => void refresh(), keysEveryMs).unref()
  return {
    get provider(): Provider {
      return provider
    },
    get keys(): SigningKeys {
      return keys
    },
    refresh,
    answerPlainGrant: createPlainGrants(deps),
    interaction: {
      show: (current: Provider, request: OidcRequest) =>
        orOwnError(showInteraction(deps, current, request, new ServerResponse(request))),
      answer: (current: Provider, request: OidcRequest, decision: string | null) =>
        orOwnError(answerInteraction(deps, current, request, new ServerResponse(request), decision)),
    },
    logoutAnswered: (cookie: string | undefined, response: Parameters<typeof logoutAnswered>[2]) =>
      logoutAnswered(deps, cookie, response),
    lostPage: (raw: IncomingMessage, requestId: string) =>
      badRequest(
        readerOf(raw),
        { description: 'the form comes from another server', isSessionMissing: true },
        requestId,
      ),
    close: () => clearInterval(timer),
  }
}

const namesOf = (keys: SigningKeys) => keys.map(({ kid }) => kid).join(' ')

/** Renders the page for a request that is longer than any valid request of the protocol. */
export const tooLongPage = (raw: IncomingMessage, requestId: string): Answer =>
  badRequest(readerOf(raw), { description: 'the request is too long', isSessionMissing: false }, requestId)

function badRequest(
  reader: Reader,
  problem: { readonly description: string; readonly isSessionMissing: boolean },
  requestId: string,
) {
  const { body, headers } = errorPage(reader, { error: 'invalid_request', ...problem }, requestId)
  return new Answer(400, body, headers)
}
