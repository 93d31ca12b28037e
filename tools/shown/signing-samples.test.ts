import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fencesOf } from '../../acceptance/browser/shell.ts'
import { sign } from '../../packages/sdk/src/sign.ts'
import { read, root } from './collect.ts'

const page = read('docs/guides/inbound-webhooks.md')
/** Returns the programs in a language that the guide shows for sending a submission. */
const programs = (language: string) =>
  fencesOf(page)
    .filter((fence) => fence.language === language && fence.text.includes('SECRET'))
    .map((fence) => fence.text)

const [secret, apiKey] = ['whsec_sample', 'rck_sample']

interface Submission {
  readonly path: string | undefined
  readonly key: unknown
  readonly type: unknown
  readonly signature: string
  readonly body: string
}

/** A receiver that keeps the submissions and confirms them. */
let server: Server
const submissions: Submission[] = []
/** A folder from which the packages of this repository are found by name. */
let folder: string
beforeAll(async () => {
  await mkdir(join(root, 'tools/dist'), { recursive: true })
  folder = await mkdtemp(join(root, 'tools/dist/samples-'))
  server = createServer(async (request, response) => {
    submissions.push({
      path: request.url,
      key: request.headers['x-api-key'],
      type: request.headers['content-type'],
      signature: String(request.headers['x-svc-signature']),
      body: await text(request),
    })
    response.writeHead(201, { 'content-type': 'application/json' }).end('{"id":"sub_1","receivedAt":"…"}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(async () => {
  server.close()
  await rm(folder, { recursive: true })
})

const [withLibrary = '', withoutLibrary = ''] = programs('js')

test.each([
  ['Node.js with the client library', process.execPath, 'library.mjs', withLibrary],
  ['Node.js', process.execPath, 'plain.mjs', withoutLibrary],
  ['Python', 'python3', 'submit.py', programs('python')[0] ?? ''],
])(
  'the program for %s in the guide to inbound webhooks sends a signed submission',
  async (_, program, name, code) => {
    submissions.length = 0
    const file = join(folder, name)
    await writeFile(file, code)
    const { port } = server.address() as AddressInfo
    const env = {
      PATH: process.env['PATH'],
      ROLECALL_URL: `http://127.0.0.1:${port}`,
      ROLECALL_API_KEY: apiKey,
      SECRET: secret,
    }
    const { stdout } = await promisify(execFile)(program, [file], { env })
    expect(stdout).toContain('sub_1')
    expect(submissions).toEqual([
      {
        path: '/api/inbound-webhooks/readings/submit',
        key: apiKey,
        type: expect.stringMatching(/^application\/json/),
        signature: expect.any(String),
        body: expect.any(String),
      },
    ])
    const { signature = '', body = '' } = submissions[0] ?? {}
    expect(JSON.parse(body)).toEqual({ celsius: 11.5 })
    const seconds = Number(/^t=(\d+),/.exec(signature)?.[1])
    expect(Math.abs(Date.now() / 1_000 - seconds)).toBeLessThan(300)
    expect(signature).toBe(await sign({ secret, body, at: new Date(seconds * 1_000) }))
  },
)

test('the guide to inbound webhooks shows a true signature to compare with', async () => {
  const shown = (input: string) => new RegExp(`^\\| ${input} \\| \`(.+)\` \\|$`, 'm').exec(page)?.[1] ?? ''
  const at = new Date(Number(shown('Unix seconds')) * 1_000)
  const signature = await sign({ secret: shown('secret'), body: shown('raw body'), at })
  expect(signature).toBe(`t=${shown('Unix seconds')},v1=${shown('`v1`')}`)
})
