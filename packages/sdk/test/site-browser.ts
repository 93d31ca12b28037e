import { request } from 'node:http'
import { Readable } from 'node:stream'
import { demo } from '@rolecall/chat-sim'

/** The headers that a browser sends with a navigation, a request of a script, and a prefetch. */
const kinds = {
  page: { accept: 'text/html,*/*;q=0.8', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
  script: { accept: 'application/json', 'sec-fetch-mode': 'cors', 'sec-fetch-site': 'same-origin' },
  prefetch: { accept: 'text/html', 'sec-fetch-mode': 'navigate', 'sec-purpose': 'prefetch' },
}

export interface Ask {
  readonly method?: string
  readonly as?: keyof typeof kinds
  readonly headers?: Record<string, string>
  readonly signal?: AbortSignal
}

/**
 * A simple browser for tests. It stores the cookies of one host, and follows the redirects of pages. At the chat
 * platform, it agrees as the given member.
 */
export class SiteBrowser {
  readonly jar = new Map<string, string>()
  /** All `Set-Cookie` headers so far. */
  readonly lines: string[] = []
  readonly url: string
  readonly #platform: string

  constructor(url: string, platform: string) {
    this.url = url
    this.#platform = platform
  }

  /** Sends one request, without following redirects. */
  async ask(
    path: string,
    { method = 'GET', as = 'script', headers = {}, signal }: Ask = {},
  ): Promise<Response> {
    const cookie = [...this.jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const all = { ...kinds[as], ...(cookie && { cookie }), ...headers }
    const answer = await send(new URL(path, this.url), { method, headers: all, signal })
    for (const line of answer.headers.getSetCookie()) this.#take(line)
    return answer
  }

  /** Opens an address as a person does, and returns the page at the end of all redirects. */
  async open(
    path: string,
    member: string = demo.users.ada,
  ): Promise<{ url: string; status: number; text: string }> {
    let url = new URL(path, this.url).href
    for (let i = 0; i < 12; i++) {
      const isScreen = url.startsWith(this.#platform)
      const answer = await this.ask(isScreen ? `${url}&login_as=${member}&auto=1` : url, { as: 'page' })
      const to = answer.headers.get('location')
      if (!to) return { url, status: answer.status, text: await answer.text() }
      await answer.body?.cancel()
      url = new URL(to, url).href
    }
    throw new Error(`Goes round in circles: ${url}`)
  }

  #take(line: string) {
    this.lines.push(line)
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
    if (/max-age=0/i.test(line)) this.jar.delete(name)
    else this.jar.set(name, value)
  }
}

/** Sends a request by `node:http`, because `fetch` always sends the headers of a script. */
function send(
  url: URL,
  options: { method: string; headers: Record<string, string>; signal: AbortSignal | undefined },
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { ...options, agent: false }, (answer) => {
      const headers = new Headers()
      for (let i = 0; i < answer.rawHeaders.length; i += 2) {
        headers.append(answer.rawHeaders[i] ?? '', answer.rawHeaders[i + 1] ?? '')
      }
      const { statusCode: status = 0 } = answer
      // An aborted response emits an error on its stream, which nothing may be reading anymore.
      answer.on('error', () => {})
      const body = status === 204 ? null : (Readable.toWeb(answer) as ReadableStream<Uint8Array>)
      resolve(new Response(body, { status, headers }))
    })
    sent.on('error', reject).end()
  })
}

/** Reads Server-Sent Events until the consumer stops or the stream ends. */
export async function* readEvents(answer: Response): AsyncGenerator<{ event: string; data: unknown }> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of answer.body ?? []) {
    const frames = (text + decoder.decode(chunk, { stream: true })).split('\n\n')
    text = frames.pop() ?? ''
    for (const frame of frames) {
      const [, event, data] = /^event: (\w+)\ndata: (.+)$/.exec(frame) ?? []
      if (event && data) yield { event, data: JSON.parse(data) }
    }
  }
}
