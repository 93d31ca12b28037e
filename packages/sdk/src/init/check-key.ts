import { complaintsAbout, type Values } from './variables.ts'

/** Timeout of the check in milliseconds. The user waits for it, and it is optional. */
const patienceMs = 3_000

/**
 * Checks whether Rolecall accepts the key for the project. Returns the result as one sentence, or undefined if too few
 * values are known. Redeems a code that is not valid, because the service checks key and project first.
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
    return sentenceOf(await answer.json()) ?? `${unchecked} answered with status ${answer.status}.`
  } catch {
    return `${unchecked} does not answer as Rolecall does.`
  }
}

function sentenceOf(answer: unknown): string | undefined {
  if (typeof answer !== 'object' || answer === null || !('code' in answer)) return undefined
  switch (answer.code) {
    case 'INVALID_API_KEY':
      return 'Rolecall refuses the key: it is not complete, or was replaced or revoked. Get the current one from an admin of the community.'
    case 'PROJECT_INACTIVE':
      return 'Rolecall knows the key, but its project is switched off: members can log in after an admin of the community has switched it on.'
    case 'INVALID_CODE':
      return 'errors' in answer
        ? 'Rolecall knows the key, but it is that of another project than ROLECALL_CLIENT_ID names.'
        : 'Rolecall takes the key for this project.'
    default:
      return undefined
  }
}
