import type { ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../tools/free-port.js'
import { buildPeers } from '../peers/build.js'
import { startPinned, whenAnswering } from './processes.ts'
import { environment, type Seeded } from './seed.ts'
import { firstOf, type Requests, validateRequests } from './wrk.ts'

const rolecall = fileURLToPath(new URL('../../apps/api/bin/rolecall.js', import.meta.url))
const bare = fileURLToPath(new URL('./bare-server.js', import.meta.url))

/** A running server. */
export interface Service {
  readonly url: string
  readonly pid: number
  stop(): Promise<void>
}

/** Starts `rolecall serve` on one core or several. */
export async function startRolecall(
  core: number | string,
  env: Readonly<Record<string, string>>,
): Promise<Service> {
  const port = await freePort()
  const flags = (process.env['NODE_FLAGS'] ?? '').split(' ').filter(Boolean)
  const settings = { ...environment, DRAIN_SEC: '0', ...env, PORT: String(port) }
  const child = startPinned(core, [process.execPath, ...flags, rolecall, 'serve'], settings)
  return waitUntilUp(child, `http://127.0.0.1:${port}`)
}

/** Starts the bare `node:http` server (bare-server.ts), which sends the given bytes. */
export async function startBare(
  core: number | string,
  answer: Buffer,
  { status = 200, workers = 1 } = {},
): Promise<Service> {
  const port = await freePort()
  const child = startPinned(core, [process.execPath, bare], {
    PORT: String(port),
    STATUS: String(status),
    WORKERS: String(workers),
    ANSWER: answer.toString('base64'),
  })
  return waitUntilUp(child, `http://127.0.0.1:${port}`)
}

/** Starts a server of `bench/peers`, which first creates its sessions. Installs and compiles the peers if necessary. */
export async function startPeer(
  core: number,
  program: string,
  env: Readonly<Record<string, string>>,
): Promise<Service> {
  await buildPeers()
  const port = await freePort()
  const path = fileURLToPath(new URL(`../peers/dist/${program}.js`, import.meta.url))
  const settings = { NODE_ENV: 'production', ...env, PORT: String(port) }
  return waitUntilUp(startPinned(core, [process.execPath, path], settings), `http://127.0.0.1:${port}`)
}

/** The maximum time for the start of a peer, in milliseconds. Creating many sessions takes long on a busy machine. */
const startDeadlineMs = 180_000

async function waitUntilUp(child: ChildProcess, url: string): Promise<Service> {
  await whenAnswering(url, startDeadlineMs)
  const stop = () =>
    new Promise<void>((resolve) => {
      if (child.exitCode !== null) return resolve()
      child.once('exit', () => resolve())
      child.kill()
    })
  return { url, pid: child.pid as number, stop }
}

/** Returns one real response of a target, after checking it. The bare server sends the same bytes. */
export async function answerOf(url: string, init: RequestInit, expected: RegExp): Promise<Buffer> {
  const response = await fetch(url, init)
  const body = Buffer.from(await response.arrayBuffer())
  if (!response.ok || !expected.test(String(body))) {
    throw new Error(`${url} answered ${response.status}: ${String(body).slice(0, 300)}`)
  }
  return body
}

/**
 * Sends each request once, so that everything is in memory before it is measured, as in a service that has run for an
 * hour. The first request of each OpenID Connect access token goes to the protocol library.
 */
export async function warmUp(url: string, { each, ...common }: Requests, expected: RegExp): Promise<void> {
  const waiting = [...each]
  const lane = async () => {
    for (let one = waiting.pop(); one; one = waiting.pop()) {
      const { pathStart } = common
      const address = pathStart === undefined ? url : new URL(`${pathStart}${one.value}`, url).href
      await answerOf(address, firstOf({ ...common, each: [one] }), expected)
    }
  }
  await Promise.all(Array.from({ length: 32 }, lane))
}

/** Validates the first of the sessions. Returns the response. */
export const validateAnswer = (url: string, { apiKey, tokens }: Pick<Seeded, 'apiKey' | 'tokens'>) =>
  answerOf(url, firstOf(validateRequests(apiKey, tokens)), /"rolesSource"/)

/** Returns a POST request with a JSON body, for `fetch`. */
export const postJson = (headers: Readonly<Record<string, string>>, body: unknown): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
})
