import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fencesOf } from '../../../../acceptance/browser/shell.ts'
import {
  isInstalled,
  nginxFolder,
  type RunningProxy,
  running,
  sample,
} from '../../../../bench/src/rolling-proxies.ts'
import { freePort } from '../../../../tools/free-port.js'

/** The host name in the samples of `deploy/proxies`. */
export const protectedHost = 'wiki.example.org'

interface Given {
  readonly service: string
  readonly application: string
  /** The protected host, if it differs from that of the samples. */
  readonly host?: string
  /** The port. By default, a free port. */
  readonly port?: number
}

type Started = RunningProxy & { readonly port: number }
type Start = (place: {
  readonly folder: string
  readonly port: number
  readonly host: string
  readonly fill: (text: string) => string
}) => Promise<RunningProxy>

/** The programs with samples in `deploy/proxies`, each configured by its sample. */
export const protectingProxies: Readonly<
  Record<'haproxy' | 'nginx' | 'caddy' | 'apache2', (given: Given) => Promise<Started>>
> = {
  haproxy: (given) =>
    protecting(given, async ({ folder, port, fill }) => {
      const script = 'rolecall-haproxy.lua'
      await writeFile(join(folder, script), fill(await sample(`proxies/${script}`)))
      const file = join(folder, 'haproxy.cfg')
      const site = fill(await sample('proxies/haproxy.cfg'))
        .replace('bind :443', `bind 127.0.0.1:${port}`)
        .replaceAll('/etc/haproxy/', `${folder}/`)
      // HAProxy does not respond to plain HTTP on its TLS port, so another frontend shows that it is ready.
      const ready = await freePort()
      const frontend = `frontend ready\n    bind 127.0.0.1:${ready}\n    http-request return status 200\n`
      await writeFile(file, `${site}\n${frontend}`)
      return run('haproxy', ['-db', '-f', file], ready)
    }),
  nginx: (given) =>
    protecting(given, async ({ folder, port, fill }) => {
      const server = fill(await sample('proxies/nginx.conf'))
        // As in a local trial, sends requests to the address that is also the `PUBLIC_URL` of the service.
        .replaceAll('http://rolecall', `http://127.0.0.1:${given.service}`)
        .replace('listen 443 ssl http2;', `listen 127.0.0.1:${port} ssl;`)
        .replaceAll('/etc/nginx/', `${folder}/`)
      const own = await nginxFolder(folder, server)
      return run('nginx', ['-p', own, '-c', join(own, 'nginx.conf')], port)
    }),
  caddy: (given) =>
    protecting(given, async ({ folder, port, host, fill }) => {
      const certificate = `${folder}/${host}`
      const site = fill(await sample('proxies/Caddyfile')).replace(
        `${host} {`,
        `https://${host}:${port} {\n\tbind 127.0.0.1\n\ttls ${certificate}.pem ${certificate}.key`,
      )
      const file = join(folder, 'Caddyfile')
      await writeFile(
        file,
        `{\n\tadmin off\n\tauto_https off\n\tstorage file_system ${folder}/caddy\n}\n${site}`,
      )
      return run('caddy', ['run', '--config', file, '--adapter', 'caddyfile'], port)
    }),
  apache2: (given) =>
    protecting(given, async ({ folder, port, fill }) => {
      await writeFile(join(folder, 'rolecall.lua'), fill(await sample('proxies/rolecall.lua')))
      const site = fill(await sample('proxies/apache.conf'))
        .replace('*:443', `127.0.0.1:${port}`)
        .replaceAll('/etc/apache2/', `${folder}/`)
      return runApache(folder, port, ['ssl', 'headers', 'lua'], site)
    }),
}

/** Runs Apache with the modules that every sample needs, the given modules, and a site. */
async function runApache(folder: string, port: number, modules: readonly string[], site: string) {
  const file = join(folder, 'apache2.conf')
  const loaded = ['mpm_event', 'authn_core', 'authz_core', 'proxy', 'proxy_http', ...modules]
  await writeFile(
    file,
    [
      ...loaded.map((name) => `LoadModule ${name}_module ${apacheModule(name)}`),
      `ServerRoot ${folder}`,
      `DefaultRuntimeDir ${folder}`,
      `PidFile ${folder}/apache2.pid`,
      'ServerName localhost',
      `ErrorLog ${folder}/error.log`,
      ...(process.getuid?.() === 0 ? ['User www-data', 'Group www-data'] : []),
      `Listen 127.0.0.1:${port}`,
      site,
    ].join('\n'),
  )
  return run('apache2', ['-D', 'FOREGROUND', '-f', file], port)
}

/** Returns the path of an Apache module of Debian. */
const apacheModule = (name: string) => `/usr/lib/apache2/modules/mod_${name}.so`

/** Returns true if a proxy is installed with everything that its sample needs. */
export const canProtect = (name: keyof typeof protectingProxies) =>
  isInstalled(name) && (name !== 'apache2' || existsSync('/usr/share/lua/5.1/socket.lua'))

/** Returns true if Apache is installed with the module that makes it an OpenID Connect client. */
export const hasOpenidApache = () => isInstalled('apache2') && existsSync(apacheModule('auth_openidc'))

interface Client {
  readonly issuer: string
  readonly id: string
  readonly key: string
  readonly application: string
  readonly port: number
}

/**
 * Starts Apache with mod_auth_openidc, as in the guide, but with plain HTTP, so that the service reaches it without a
 * certificate.
 */
export async function startOpenidApache({
  issuer,
  id,
  key,
  application,
  port,
}: Client): Promise<RunningProxy> {
  const folder = await proxyFolder()
  const guide = new URL('../../../../docs/guides/programs/apache.md', import.meta.url)
  const [, site = ''] = /```apache\n([^`]+)```/.exec(await readFile(guide, 'utf8')) ?? []
  const origin = `http://127.0.0.1:${port}`
  const filled = site
    .replace('*:443', `127.0.0.1:${port}`)
    .replace(/^ +SSL.*\n/gm, '')
    .replaceAll(`https://${protectedHost}`, origin)
    .replaceAll(encodeURIComponent(`https://${protectedHost}`), encodeURIComponent(origin))
    .replace('PUBLIC_URL', issuer)
    .replace('CLIENT_ID', id)
    .replace('API_KEY', key)
    .replace('PASSPHRASE', randomBytes(32).toString('hex'))
    .replace('127.0.0.1:8080', `127.0.0.1:${application}`)
  const apache = await runApache(folder, port, ['authz_user', 'rewrite', 'auth_openidc'], filled)
  return { ...apache, stop: () => apache.stop().then(() => rm(folder, { recursive: true, force: true })) }
}

/** Returns the commands of the guide that create a certificate for a trial. */
async function certificateCommand(): Promise<string> {
  const guide = new URL('../../../../docs/guides/forward-auth.md', import.meta.url)
  const blocks = fencesOf(await readFile(guide, 'utf8'))
  return blocks.find(({ text }) => text.startsWith('openssl '))?.text ?? ''
}

async function proxyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rolecall-proxy-'))
  // Apache that was started as root reads its script as another user.
  await chmod(folder, 0o755)
  return folder
}

async function protecting(
  { service, application, host = protectedHost, ...given }: Given,
  start: Start,
): Promise<Started> {
  const folder = await proxyFolder()
  const port = given.port ?? (await freePort())
  const certify = (await certificateCommand()).replaceAll('wiki.localhost', host)
  execFileSync('sh', ['-ec', certify], { cwd: folder, stdio: 'ignore' })
  const fill = (text: string) =>
    text
      .replaceAll(protectedHost, host)
      .replaceAll('127.0.0.1:3000', `127.0.0.1:${service}`)
      .replaceAll('127.0.0.1:8080', `127.0.0.1:${application}`)
  const proxy = await start({ folder, port, host, fill })
  return { ...proxy, port, stop: () => proxy.stop().then(() => rm(folder, { recursive: true, force: true })) }
}

/** Starts a program, and waits for any response: it serves TLS, so its response to plain HTTP is 400. */
const run = (program: string, args: readonly string[], port: number) =>
  running(program, args, `http://127.0.0.1:${port}`, () => true)
