import cluster from 'node:cluster'
import { createServer } from 'node:http'

/**
 * The limit: a bare `node:http` server that reads and parses the same JSON body and sends the same bytes. The distance
 * to it is the cost of the service's own work. WORKERS=2 shares the port as the service does.
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
