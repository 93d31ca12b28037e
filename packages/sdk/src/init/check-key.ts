import { complaintsAbout, type Values } from './variables.ts'

/** The timeout of the check in milliseconds. It is short, because the user waits, and the check is optional. */
const patienceMs = 3_000

/**
 * Checks whether Rolecall accepts the key for the project. Returns the result in words for the user, or undefined if
 * too few values are known.
 *
 * Tries to redeem a code that cannot exist. The service checks the key and the project first, so its error tells
 * whether they are right.
 */
export async function checkKey(values: Values): Promise<string | undefined> {
  const {
    ROLECALL_URL: url,
    ROLECALL_CLIENT_ID: clientId,
    ROLECALL_API_KEY: key,
    ROLECALL_APP_URL: app = url,
  } = values
  if (!url || !clientId || !key || complaintsAbout(values).length > 0) return undefined
  const unchecked = `The key was not checked: ${url}`
  try {
    const answer = await fetch(`${url.replace(/\/+$/, '')}/api/auth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json', 'x-api-key': key },
      body: JSON.stringify({ clientId, code: 'rolecall-init', redirectUri: `${app}/auth/callback` }),
      // Never follows a redirect: the next address would receive the key.
      redirect: 'manual',
      signal: AbortSignal.timeout(patienceMs),
    })
    return sentenceOf(await answer.json()) ?? `${unchecked} returned status ${answer.status}.`
  } catch {
    return `${unchecked} does not respond like Rolecall.`
  }
}

function sentenceOf(answer: unknown): string | undefined {
  if (typeof answer !== 'object' || answer === null || !('code' in answer)) return undefined
  switch (answer.code) {
    case 'INVALID_API_KEY':
      return 'Rolecall rejects the key: it is incomplete, or was replaced or revoked. Get the current key from an admin of the community.'
    case 'PROJECT_INACTIVE':
      return 'Rolecall knows the key, but its project is inactive. Members can sign in after an admin of the community activates it.'
    case 'INVALID_CODE':
      return 'errors' in answer
        ? 'Rolecall knows the key, but it belongs to another project than ROLECALL_CLIENT_ID.'
        : 'Rolecall accepts the key for this project.'
    default:
      return undefined
  }
}
