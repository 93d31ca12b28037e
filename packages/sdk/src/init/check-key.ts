import { networkError } from '../transport.ts'
import { complaintsAbout, type Values } from './variables.ts'

/** The timeout of the check in milliseconds. It is short, because the user waits, and the check is optional. */
const patienceMs = 3_000

/**
 * Checks whether Rolecall accepts the key for the project, at the address that Rolecall itself uses. Returns the result
 * in words for the user, or undefined if too few values are known.
 *
 * Tries to redeem a code that cannot exist. The service checks the key and the project first, so its error tells
 * whether they are right.
 */
export async function checkKey(values: Values): Promise<string | undefined> {
  const {
    ROLECALL_URL: given,
    ROLECALL_CLIENT_ID: clientId,
    ROLECALL_API_KEY: key,
    ROLECALL_APP_URL: app = given,
  } = values
  if (!given || !clientId || !key || complaintsAbout(values).length > 0) return undefined
  const url = new URL(given).href.replace(/\/+$/, '')
  // Never follows a redirect: the next address would receive the key.
  const options = { redirect: 'manual', signal: AbortSignal.timeout(patienceMs) } as const
  // Only the check of the key decides whether the service responds.
  const discovery = fetch(`${url}/.well-known/openid-configuration`, options).catch(() => undefined)
  let response: Response
  try {
    response = await fetch(`${url}/api/auth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json', 'x-api-key': key },
      body: JSON.stringify({ clientId, code: 'rolecall-init', redirectUri: `${app}/auth/callback` }),
      ...options,
    })
  } catch (error) {
    const isTimeout = error instanceof DOMException && error.name === 'TimeoutError'
    const reason = isTimeout ? `${url} did not respond within 3 seconds.` : networkError(url, error).detail
    return `The key was not checked: ${reason} Check ROLECALL_URL, and that Rolecall runs.`
  }
  const redeemed = await readObject(response)
  const discovered = await readObject(await discovery)
  const { status } = response
  if (status === 429 || status >= 500) return `The key was not checked: ${url} returned status ${status}.`
  const issuer = discovered?.['issuer']
  if (isAccepted(redeemed) && typeof issuer === 'string' && issuer !== url) {
    return `Rolecall accepts the key, but sign-ins will fail. Set ROLECALL_URL to ${issuer}, the PUBLIC_URL of Rolecall, instead of ${url}.`
  }
  return (
    sentenceOf(redeemed) ??
    `The key was not checked: ${url} is not the address of a Rolecall service. Correct ROLECALL_URL. It usually has no path.`
  )
}

type ResponseBody = Readonly<Record<string, unknown>> | undefined

async function readObject(response: Response | undefined): Promise<ResponseBody> {
  const body: unknown = await response?.json().catch(() => undefined)
  return typeof body === 'object' && body !== null ? { ...body } : undefined
}

/** Returns whether the key and the project are right. The list `errors` names the project if it is another one. */
const isAccepted = (response: ResponseBody) => response?.['code'] === 'INVALID_CODE' && !response['errors']

function sentenceOf(response: ResponseBody): string | undefined {
  switch (response?.['code']) {
    case 'INVALID_API_KEY':
      return 'Rolecall rejects the key: it is incomplete, or was replaced or revoked. Get the current key from an admin of the community.'
    case 'PROJECT_INACTIVE':
      return 'Rolecall knows the key, but its project is inactive. Members can sign in after an admin of the community activates it.'
    case 'INVALID_CODE':
      return isAccepted(response)
        ? 'Rolecall accepts the key for this project.'
        : 'Rolecall knows the key, but it belongs to another project than ROLECALL_CLIENT_ID.'
    default:
      return undefined
  }
}
