import { Agent, type IncomingMessage, type RequestOptions, request } from 'node:http'
import { Agent as EncryptedAgent, request as encrypted } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'

/** A request that the clients repeat. The response must have the status 200. */
export interface Asked {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

interface Outcome {
  readonly answered: number
  /** The failures, in a few words each: requests without a response of 200, unless the connection was refused. */
  readonly lost: readonly string[]
}

/** Running clients, which send requests until they are stopped. */
export interface RollingLoad {
  /** Returns the number of answered requests so far. */
  answered(): number
  stop(): Promise<Outcome>
}

interface Terms {
  /** The addresses to which the clients send requests, e.g. `http://host:port`. For `https://`, `ca` is needed. */
  readonly targets: readonly string[]
  /** The certificate of the authority that signed the targets' certificates, in PEM. */
  readonly ca?: string
  readonly asked: readonly Asked[]
  readonly clients: number
  /** The pause between a response and the client's next request, in milliseconds. */
  readonly pauseMs: number
}

/**
 * Starts clients that each send one request after the other over one kept connection. If its connection is refused, a
 * client continues with the next target, because nothing was sent. Every other failure counts as a lost request.
 */
export function startRollingLoad({ targets, ca, asked, clients, pauseMs }: Terms): RollingLoad {
  let isOver = false
  let answered = 0
  const lost: string[] = []

  const client = async (own: number) => {
    const kept = { keepAlive: true, maxSockets: 1 }
    const agent = ca === undefined ? new Agent(kept) : new EncryptedAgent({ ...kept, ca })
    let target = own
    for (let turn = own; !isOver; turn++) {
      const one = asked[turn % asked.length] as Asked
      try {
        const status = await send(targets[target % targets.length] as string, one, agent)
        if (status === 200) answered += 1
        else lost.push(`${one.path} ${status}`)
      } catch (error) {
        if (isRefused(error) && targets.length > 1) target += 1
        else lost.push(`${one.path} ${(error as Error).message}`)
      }
      await sleep(pauseMs)
    }
    agent.destroy()
  }
  const all = Promise.all(Array.from({ length: clients }, (_, own) => client(own)))
  return {
    answered: () => answered,
    async stop() {
      isOver = true
      await all
      return { answered, lost }
    },
  }
}

const isRefused = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ECONNREFUSED'

function send(target: string, { method, path, headers, body }: Asked, agent: Agent): Promise<number> {
  const options: RequestOptions = {
    agent,
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }) },
  }
  return new Promise((resolve, reject) => {
    const sent = (target.startsWith('https:') ? encrypted : request)(
      `${target}${path}`,
      options,
      (answer: IncomingMessage) => {
        answer.once('error', reject)
        answer.resume().once('end', () => resolve(answer.statusCode ?? 0))
      },
    )
    sent.once('error', reject)
    sent.end(body)
  })
}

/** An instance of the service that can be stopped and started. */
export interface Instance {
  readonly url: string
  /** Stops the instance by SIGTERM. Resolves with its exit code. */
  stop(): Promise<number | null>
  /** Starts the instance. Resolves when it listens. */
  start(): Promise<void>
}

/**
 * Stops and starts one instance after the other, as an update does. Behind a proxy, waits before each stop until both
 * instances receive requests again.
 */
export async function stopInTurn(
  instances: readonly Instance[],
  stops: number,
  isBehindProxy: boolean,
  told: (stop: number) => void = () => {},
): Promise<void> {
  for (let stop = 0; stop < stops; stop++) {
    const instance = instances[stop % instances.length] as Instance
    const exitCode = await instance.stop()
    if (exitCode !== 0) throw new Error(`An instance ended with ${exitCode}.`)
    await instance.start()
    if (isBehindProxy) await untilServing(instance)
    told(stop + 1)
  }
}

/** Waits until the instance has validated a session since its start, according to its own metrics. */
async function untilServing({ url }: Instance) {
  const deadline = performance.now() + 60_000
  while (performance.now() < deadline) {
    const metrics = await fetch(`${url}/metrics`, { headers: { connection: 'close' } })
    if (/route="\/api\/auth\/validate",status="200"} [1-9]/.test(await metrics.text())) return
    await sleep(50)
  }
  throw new Error(`${url} receives no requests.`)
}
