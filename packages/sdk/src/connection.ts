/** Why an address is none of the service; undefined when it may be one. */
export function addressProblem(text: string): string | undefined {
  let url: URL
  try {
    url = new URL(text)
  } catch {
    return 'must be an address like https://rolecall.example'
  }
  if (!/^https?:$/.test(url.protocol)) return 'must be an address like https://rolecall.example'
  return /\/api\/*$/.test(url.pathname)
    ? 'must be without the /api at its end, which the client adds'
    : undefined
}

/** Why a text is no key of a project; undefined when it may be one. */
export function keyProblem(text: string): string | undefined {
  if (/^[\x21-\x7e]+$/.test(text)) return undefined
  // What is read from a file or a terminal ends with its line.
  return /^[\x21-\x7e]+\s+$/.test(text)
    ? 'has a line break or a blank at its end: take it away, e.g. with trim()'
    : 'must be the key of a project, rck_…, without blanks or line breaks'
}

/** @throws TypeError */
export function addressOf(baseUrl: string | URL): string {
  const text = String(baseUrl)
  const problem = addressProblem(text)
  if (problem) throw new TypeError(`baseUrl ${problem}, unlike ${text}`)
  return new URL(text).href.replace(/\/+$/, '')
}

/** @throws TypeError that does not show it */
export function checkKey(apiKey: string): void {
  const problem = keyProblem(apiKey)
  if (problem) throw new TypeError(`apiKey ${problem}.`)
}
