/** A request to the service and its response, as the page shows them. */
export interface Answer {
  readonly call: string
  readonly method: string
  readonly path: string
  readonly status: number
  readonly durationMs: number
  /** The response as formatted JSON, without credentials. Empty if it has no body. */
  readonly json: string
}

/** Returns a `fetch` that records requests and responses. A real site does not need this. */
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

/** Removes tokens from JSON, because they must never reach the browser. */
const withoutCredentials = (json: string) =>
  json.replace(/\b(rc[ksrc]_)[A-Za-z0-9_]+/g, '$1… (stays on the server)')
