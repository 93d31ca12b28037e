import { createServer } from 'node:http'

/**
 * The limit: a bare `node:http` server that reads and parses the same JSON body and answers the same
 * bytes. Whatever the service does besides shows as its distance from this.
 */
const answer = Buffer.from(process.env['ANSWER'] ?? '', 'base64')
const status = Number(process.env['STATUS'] ?? 200)

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString())
    response.writeHead(body ? status : 400, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': answer.length,
    })
    response.end(answer)
  })
})
server.listen(Number(process.env['PORT']), '127.0.0.1')
