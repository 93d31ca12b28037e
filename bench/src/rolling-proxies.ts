import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from './processes.ts'

export interface Proxy {
  readonly url: string
  stop(): Promise<void>
}

const sample = (path: string) =>
  readFile(fileURLToPath(new URL(`../../deploy/${path}`, import.meta.url)), 'utf8')

/** Whether a program is there; Debian keeps servers where the PATH of a person may not lead. */
export const isInstalled = (name: string) => searched().some((folder) => existsSync(join(folder, name)))

const searched = () => [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']

/** HAProxy as the sample in `deploy` configures it, in front of two instances. */
export async function startHaproxy(folder: string, ports: readonly [number, number]): Promise<Proxy> {
  const port = await freePort()
  const file = join(folder, 'haproxy.cfg')
  await writeFile(file, filledIn(await sample('haproxy/haproxy.cfg'), `bind 127.0.0.1:${port}`, ports))
  return running('haproxy', ['-db', '-f', file], port)
}

/** nginx as the sample in `deploy` configures it, in front of two instances. */
export async function startNginx(folder: string, ports: readonly [number, number]): Promise<Proxy> {
  const port = await freePort()
  const own = join(folder, 'nginx')
  await mkdir(own, { recursive: true })
  const server = filledIn(await sample('nginx/rolecall.conf'), `listen 127.0.0.1:${port};`, ports)
  await writeFile(join(own, 'rolecall.conf'), server)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  await writeFile(
    join(own, 'nginx.conf'),
    [
      'daemon off;',
      // Its temporary files lie in a folder that only the user who started it may enter.
      ...(process.getuid?.() === 0 ? ['user root;'] : []),
      `pid ${own}/nginx.pid;`,
      'error_log stderr crit;',
      'events { worker_connections 1024; }',
      'http {',
      'access_log off;',
      ...temporary.map((name) => `${name}_temp_path ${own}/${name};`),
      'include rolecall.conf;',
      '}',
    ].join('\n'),
  )
  return running('nginx', ['-p', own, '-c', join(own, 'nginx.conf')], port)
}

/** The sample with the addresses of this run. */
function filledIn(text: string, listening: string, [one, two]: readonly [number, number]): string {
  return text
    .replace(/(?:listen 80;|bind :80)/, listening)
    .replace('127.0.0.1:3001', `127.0.0.1:${one}`)
    .replace('127.0.0.1:3002', `127.0.0.1:${two}`)
}

async function running(program: string, args: readonly string[], port: number): Promise<Proxy> {
  const child = spawn(program, args, {
    env: { ...process.env, PATH: searched().join(delimiter) },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (text) => {
    said += text
  })
  const end = () => child.kill('SIGKILL')
  process.once('exit', end)
  const url = `http://127.0.0.1:${port}`
  if (!(await becomesReady(child, url))) throw new Error(`${program} did not become ready:\n${said}`)
  return {
    url,
    async stop() {
      process.off('exit', end)
      child.kill('SIGTERM')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    },
  }
}

async function becomesReady(child: ChildProcess, url: string): Promise<boolean> {
  const deadline = performance.now() + 30_000
  while (performance.now() < deadline && child.exitCode === null) {
    const answer = await fetch(`${url}/api/health/ready`).catch(() => undefined)
    await answer?.body?.cancel()
    if (answer?.ok) return true
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return false
}
