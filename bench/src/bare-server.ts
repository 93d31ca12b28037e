import cluster from 'node:cluster'
import { createServer } from 'node:http'

/**
 * The bare `node:http` server with which all servers are compared. It reads and parses the same JSON body as the
 * service, and sends the same bytes (ANSWER, in base64). The difference is the cost of the service's own work. With
 * WORKERS=2, two processes share the port, like workers of the service.
 */
const answer = Buffer.from(process.env['ANSWER'] ?? '', 'base64')
const status = Number(process.env['STATUS'] ?? 200)
const workers = Number(process.env['WORKERS'] ?? 1)

if (workers > 1 && cluster.isPrimary) {
  for (let i = 0; i < workers; i++) cluster.fork()
} else {
  createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString()
      const body: unknown = request.method === 'GET' ? request.url : JSON.parse(text)
      response.writeHead(body ? status : 400, {
        'content-type': 'application/json; charset=utf-8',
        'content-length': answer.length,
      })
      response.end(answer)
    })
  }).listen(Number(process.env['PORT']), '127.0.0.1')
}
