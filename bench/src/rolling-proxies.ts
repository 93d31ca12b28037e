import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../tools/free-port.js'

/** A running proxy in front of two instances. */
export interface RunningProxy {
  readonly url: string
  stop(): Promise<void>
}

/** Reads a sample configuration from `deploy`. */
export const sample = (path: string) =>
  readFile(fileURLToPath(new URL(`../../deploy/${path}`, import.meta.url)), 'utf8')

/** Returns true if a program is installed. Also searches Debian's folders for servers, which may be missing in PATH. */
export const isInstalled = (name: string) => searched().some((folder) => existsSync(join(folder, name)))

const searched = () => [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']

/** Starts HAProxy with the sample configuration in `deploy`, in front of two instances. */
export async function startHaproxy(folder: string, ports: readonly [number, number]): Promise<RunningProxy> {
  const port = await freePort()
  const file = join(folder, 'haproxy.cfg')
  await writeFile(file, filledIn(await sample('haproxy/haproxy.cfg'), `bind 127.0.0.1:${port}`, ports))
  return running('haproxy', ['-db', '-f', file], `http://127.0.0.1:${port}`)
}

/** Starts nginx with the sample configuration in `deploy`, in front of two instances. */
export async function startNginx(folder: string, ports: readonly [number, number]): Promise<RunningProxy> {
  const port = await freePort()
  const server = filledIn(await sample('nginx/rolecall.conf'), `listen 127.0.0.1:${port};`, ports)
  const own = await nginxFolder(folder, server)
  return running('nginx', ['-p', own, '-c', join(own, 'nginx.conf')], `http://127.0.0.1:${port}`)
}

/** Starts Caddy with `deploy/compose.Caddyfile`, in front of two instances, with a certificate of its own authority. */
export async function startCaddy(
  folder: string,
  ports: readonly [number, number],
): Promise<RunningProxy & { readonly ca: string }> {
  const port = await freePort()
  const url = `https://localhost:${port}`
  const own = join(folder, 'caddy')
  const options = [
    'admin off',
    'default_bind 127.0.0.1',
    'auto_https disable_redirects',
    'skip_install_trust',
  ]
  const site = (await sample('compose.Caddyfile'))
    .replace('{$PUBLIC_URL}', url)
    .replace('rolecall-1:3000', `127.0.0.1:${ports[0]}`)
    .replace('rolecall-2:3000', `127.0.0.1:${ports[1]}`)
  const file = join(folder, 'Caddyfile')
  await writeFile(file, `{\n${[...options, `storage file_system ${own}`].join('\n')}\n}\n${site}`)
  // Caddy serves TLS here. It responds to plain HTTP with 400, which shows that it is ready.
  const args = ['run', '--config', file, '--adapter', 'caddyfile']
  const proxy = await running('caddy', args, `http://127.0.0.1:${port}`, () => true)
  return { ...proxy, url, ca: await readFile(join(own, 'pki/authorities/local/root.crt'), 'utf8') }
}

/** Creates a folder for nginx with the given server configuration. */
export async function nginxFolder(folder: string, server: string): Promise<string> {
  const own = join(folder, 'nginx')
  await mkdir(own, { recursive: true })
  await writeFile(join(own, 'rolecall.conf'), server)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  await writeFile(
    join(own, 'nginx.conf'),
    [
      'daemon off;',
      // As root, nginx would switch to another user, who cannot enter this folder to create temporary files.
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
  return own
}

/** Replaces the addresses in a sample by those of this run. */
function filledIn(text: string, listening: string, [one, two]: readonly [number, number]): string {
  return text
    .replace(/(?:listen 80;|bind :80)/, listening)
    .replace('127.0.0.1:3001', `127.0.0.1:${one}`)
    .replace('127.0.0.1:3002', `127.0.0.1:${two}`)
}

/** Starts a proxy, and waits until it responds. */
export async function running(
  program: string,
  args: readonly string[],
  url: string,
  isReady = ({ ok }: Response) => ok,
): Promise<RunningProxy> {
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
  if (!(await becomesReady(child, url, isReady))) throw new Error(`${program} did not become ready:\n${said}`)
  return {
    url,
    async stop() {
      process.off('exit', end)
      child.kill('SIGTERM')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    },
  }
}

async function becomesReady(
  child: ChildProcess,
  url: string,
  isReady: (answer: Response) => boolean,
): Promise<boolean> {
  const deadline = performance.now() + 30_000
  while (performance.now() < deadline && child.exitCode === null) {
    const answer = await fetch(`${url}/api/health/ready`).catch(() => undefined)
    await answer?.body?.cancel()
    if (answer && isReady(answer)) return true
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return false
}
