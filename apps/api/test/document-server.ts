import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Starts a site on this machine that publishes client ID metadata documents, and counts the requests for each. */
export async function startDocumentServer() {
  const answers = new Map<string, RequestListener>()
  const requests = new Map<string, number>()
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    requests.set(path, (requests.get(path) ?? 0) + 1)
    const answer = answers.get(path)
    if (answer) answer(request, response)
    else response.writeHead(404).end()
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const idOf = (path: string) => `http://${host}${path}`
  return {
    host,
    idOf,
    requestsFor: (path: string) => requests.get(path) ?? 0,
    /** Sets the handler of a path. Returns its address, which is the ID of the client. */
    answer(path: string, listener: RequestListener) {
      answers.set(path, listener)
      return idOf(path)
    },
    /** Publishes a document. Returns its address, which is the ID of the client. */
    publish(path: string, document: object = {}, headers: Record<string, string> = {}) {
      const content = {
        client_id: idOf(path),
        client_name: 'A program',
        redirect_uris: ['http://127.0.0.1/callback'],
        token_endpoint_auth_method: 'none',
        ...document,
      }
      return this.answer(path, (_, response) =>
        response
          .writeHead(200, { 'content-type': 'application/json', ...headers })
          .end(JSON.stringify(content)),
      )
    },
    close: () =>
      new Promise<void>((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
}
