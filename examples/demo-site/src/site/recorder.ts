/** One request to the service and its answer, as the page shows them. */
export interface Answer {
  readonly call: string
  readonly method: string
  readonly path: string
  readonly status: number
  readonly durationMs: number
  /** Pretty JSON without credentials; empty where the answer has no body. */
  readonly json: string
}

/** A `fetch` that tells what went over the wire. A real site does not need this. */
export function recordingFetch(call: string, record: (answer: Answer) => void): typeof fetch {
  return async (input, init) => {
    const startedAt = performance.now()
    const response = await fetch(input, init)
    const text = await response.clone().text()
    record({
      call,
      method: init?.method ?? 'GET',
      path: new URL(String(input)).pathname,
      status: response.status,
      durationMs: Math.round(performance.now() - startedAt),
      json: text && withoutCredentials(JSON.stringify(JSON.parse(text), null, 2)),
    })
    return response
  }
}

/** Tokens never reach the browser, not even to be looked at. */
const withoutCredentials = (json: string) =>
  json.replace(/\b(rc[ksrc]_)[A-Za-z0-9_]+/g, '$1… (stays on the server)')
