import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../tools/free-port.js'
import { help } from './help.ts'
import { makeFolder, removeFolder, startPostgres } from './postgres.ts'
import { whenAnswering } from './processes.ts'
import { type Asked, type Instance, startRollingLoad, stopInTurn } from './rolling-load.ts'
import { isInstalled, startHaproxy, startNginx } from './rolling-proxies.ts'
import { environment, prepare, type Seeded, seedSessions, serverId } from './seed.ts'

help(`
npm run rolling -w bench

Counts the requests that are lost while two instances are stopped and started in turn, without a proxy and behind
proxies with the configurations in deploy/.

  STOPS      number of stops (100)
  CLIENTS    number of clients, each with a kept connection (32)
  PAUSE_MS   pause of each client after a response (20)
  CACHE_URL  cache of the instances, e.g. redis://… (memory:)
  WAYS       which to measure (direct,haproxy,nginx)
`)

/**
 * The number of stops. Instances are stopped and started in turn, while CLIENTS send requests over kept connections,
 * each PAUSE_MS after its last response: directly, behind HAProxy, and behind nginx. DRAIN_SEC and WORKERS are passed
 * on to the service.
 */
const stops = Number(process.env['STOPS'] ?? 100)
const clients = Number(process.env['CLIENTS'] ?? 32)
const pauseMs = Number(process.env['PAUSE_MS'] ?? 20)
const ways = (process.env['WAYS'] ?? 'direct,haproxy,nginx').split(',')
const rolecall = fileURLToPath(new URL('../../apps/api/bin/rolecall.js', import.meta.url))

const folder = await makeFolder()
const postgres = await startPostgres(folder)
try {
  const env = { ...environment, DATABASE_URL: postgres.url, CACHE_URL: process.env['CACHE_URL'] ?? 'memory:' }
  const seeded = await prepare(env, (deps) => seedSessions(deps, 200))
  const ports = [await freePort(), await freePort()] as const
  const instances = ports.map((port) => createInstance(port, env))
  for (const instance of instances) await instance.start()
  for (const way of ways) await measure(way, instances, ports, asksOf(seeded))
  for (const instance of instances) await instance.stop()
} finally {
  await postgres.stop()
  await removeFolder(folder)
}

async function measure(
  way: string,
  instances: readonly Instance[],
  ports: readonly [number, number],
  asked: readonly Asked[],
) {
  if ((way === 'haproxy' || way === 'nginx') && !isInstalled(way)) {
    console.log(`${way}: not installed, not measured`)
    return
  }
  const proxy =
    way === 'haproxy'
      ? await startHaproxy(folder, ports)
      : way === 'nginx'
        ? await startNginx(folder, ports)
        : undefined
  const targets = proxy ? [proxy.url] : instances.map(({ url }) => url)
  const since = performance.now()
  const load = startRollingLoad({ targets, asked, clients, pauseMs })
  await stopInTurn(instances, stops, proxy !== undefined, (stop) => {
    if (stop % 5 === 0) console.log(`  ${way}: ${stop} stops, ${load.answered()} answered`)
  })
  const { answered, lost } = await load.stop()
  await proxy?.stop()
  const seconds = ((performance.now() - since) / 1_000).toFixed(0)
  console.log(`${way}: ${stops} stops in ${seconds} s, ${answered} answered, ${lost.length} lost`)
  for (const what of lost.slice(0, 20)) console.log(`  ${what}`)
}

/** Returns the requests that the clients repeat: three validations for each read of a list. */
function asksOf({ apiKey, tokens }: Seeded): Asked[] {
  const headers = { 'content-type': 'application/json', 'x-api-key': apiKey }
  return tokens.map((token, i) =>
    i % 4 === 3
      ? { method: 'GET', path: `/api/servers/${serverId}/members?limit=1`, headers }
      : { method: 'POST', path: '/api/auth/validate', headers, body: JSON.stringify({ token }) },
  )
}

function createInstance(port: number, env: Record<string, string>): Instance {
  let child: ChildProcess | undefined
  process.once('exit', () => child?.kill('SIGKILL'))
  const url = `http://127.0.0.1:${port}`
  return {
    url,
    async start() {
      child = spawn(process.execPath, [rolecall, 'serve'], {
        env: { ...process.env, ...env, PORT: String(port) },
        stdio: ['ignore', 'ignore', 'inherit'],
      })
      await whenAnswering(`${url}/api/auth/validate`)
    },
    async stop() {
      const ended = once(child as ChildProcess, 'exit')
      child?.kill('SIGTERM')
      return (await ended)[0] as number | null
    },
  }
}
