/** Returns why a text cannot be the address of the service, or undefined if it can. */
export function addressProblem(text: string): string | undefined {
  let url: URL
  try {
    url = new URL(text)
  } catch {
    return 'must be an address like https://rolecall.example'
  }
  if (!/^https?:$/.test(url.protocol)) return 'must be an address like https://rolecall.example'
  return /\/api\/*$/.test(url.pathname) ? 'must not end with /api, because the client adds it' : undefined
}

/** Returns why a text cannot be an API key of a project, or undefined if it can. */
export function keyProblem(text: string): string | undefined {
  if (/^[\x21-\x7e]+$/.test(text)) return undefined
  // A key read from a file or a terminal often ends with a line break.
  return /^[\x21-\x7e]+\s+$/.test(text)
    ? 'ends with a space or a line break. Remove it, for example with trim()'
    : 'must be the key of a project, rck_…, without spaces or line breaks'
}

/**
 * Normalizes the address of the service: without slashes at its end.
 *
 * @throws TypeError that says why it is not a valid address.
 */
export function addressOf(baseUrl: string | URL): string {
  const text = String(baseUrl)
  const problem = addressProblem(text)
  if (problem) throw new TypeError(`baseUrl ${problem}, unlike ${text}`)
  return new URL(text).href.replace(/\/+$/, '')
}

/**
 * Checks the form of an API key.
 *
 * @throws TypeError that says what is wrong and never contains the key.
 */
export function checkKey(apiKey: string): void {
  const problem = keyProblem(apiKey)
  if (problem) throw new TypeError(`apiKey ${problem}.`)
}
