import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createServer } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createEngine, makeBases, makeDebian, makeImage, timed } from './container-engine.js'
import { freePort } from './free-port.js'

// Starts deploy/compose.yml as its first lines describe: two instances of the image, PostgreSQL, Valkey, and Caddy with
// TLS. Signs a member in, stops and starts one instance after the other under load, and fails if a request is lost.
// Takes minutes, so it is not part of the suite. Run it by hand before a release.
//
// Needs root on Debian, the packages that container-engine.js lists, docker-compose (which connects to podman here),
// and a clone that is built. Differences from the file:
// - The images are created from Debian's packages, under the names in the file. They contain PostgreSQL 15 instead of
//   17, Redis 7 instead of Valkey 8, and Caddy 2.6 instead of the newest version.
// - The ports are bound only to this machine.
// - Health checks do not run, because podman needs systemd for them. It says so each time.
// - The chat platform is the simulated one.

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'rolecall-compose-'))
const engine = createEngine(folder)
const place = join(folder, 'rolecall')
const socket = join(folder, 'podman.sock')
/** The address of this machine in the network of the containers. */
const gateway = '10.89.57.1'
const publicUrl = 'https://localhost'
const redirectUri = 'https://site.example/callback'

function makeOthers() {
  const tar = makeDebian(engine, 'others', 'ca-certificates,postgresql,redis-server,caddy')
  const files = join(folder, 'files')
  mkdirSync(join(files, 'usr/local/bin'), { recursive: true })
  const script = (/** @type {string} */ name, /** @type {string[]} */ ...lines) => {
    writeFileSync(join(files, 'usr/local/bin', name), ['#!/bin/sh', 'set -e', ...lines, ''].join('\n'))
    chmodSync(join(files, 'usr/local/bin', name), 0o755)
  }
  // Does what the file expects of PostgreSQL's image.
  script(
    'postgres-image',
    'export PATH="/usr/lib/postgresql/15/bin:$PATH"',
    'mkdir -p /run/postgresql && chown postgres /run/postgresql /var/lib/postgresql/data',
    'as="setpriv --reuid=postgres --regid=postgres --init-groups"',
    'if [ ! -e /var/lib/postgresql/data/PG_VERSION ]; then',
    '  printf %s "$POSTGRES_PASSWORD" > /run/password && chown postgres /run/password',
    '  $as initdb --pgdata=/var/lib/postgresql/data --username="$POSTGRES_USER" --pwfile=/run/password --encoding=UTF8 --locale=C.UTF-8',
    '  echo "host all all all scram-sha-256" >> /var/lib/postgresql/data/pg_hba.conf',
    '  $as pg_ctl --pgdata=/var/lib/postgresql/data --options="-c listen_addresses=" --wait start',
    '  $as createdb --username="$POSTGRES_USER" "$POSTGRES_DB" || true',
    '  $as pg_ctl --pgdata=/var/lib/postgresql/data --wait stop',
    'fi',
    'exec $as postgres -D /var/lib/postgresql/data -c listen_addresses="*"',
  )
  // Like Valkey's image, has no protected mode, so that other containers can connect.
  script('valkey-server', 'exec redis-server --protected-mode no "$@"')
  const contents = [tar, files]
  const entry = (/** @type {string} */ program) => ['--entrypoint', JSON.stringify([program])]
  makeImage(engine, 'library/postgres:17-bookworm', contents, [
    ...entry('postgres-image'),
    ...['--stop-signal', 'SIGINT', '--volume', '/var/lib/postgresql/data'],
  ])
  makeImage(engine, 'valkey/valkey:8-bookworm', contents, ['--cmd', 'valkey-server', '--workingdir', '/tmp'])
  makeImage(engine, 'library/caddy:2', contents, [
    ...['--env', 'XDG_DATA_HOME=/data', '--env', 'XDG_CONFIG_HOME=/config'],
    ...['--cmd', 'caddy run --config /etc/caddy/Caddyfile --adapter caddyfile'],
  ])
}

/** Writes the files that an operator writes, with the differences that the first lines of this program list. */
function writePlace() {
  mkdirSync(place)
  cpSync(join(root, 'deploy/compose.Caddyfile'), join(place, 'compose.Caddyfile'))
  const text = readFileSync(join(root, 'deploy/compose.yml'), 'utf8')
  const own = text
    .replace('["80:80", "443:443"]', '["127.0.0.1:80:80", "127.0.0.1:443:443"]')
    .replace(/^ {4}healthcheck:\n(?: {6}.*\n)+/m, '')
  if (!own.includes('127.0.0.1:443:') || own.includes('healthcheck')) {
    throw new Error('deploy/compose.yml has other ports, or other health checks.')
  }
  writeFileSync(join(place, 'compose.yml'), own)
  // Also disables the health check of the image.
  const trusting = { healthcheck: { disable: true }, volumes: ['./chat.pem:/chat.pem:ro'] }
  const services = { 'rolecall-1': trusting, 'rolecall-2': trusting }
  // JSON is YAML.
  writeFileSync(join(place, 'override.yml'), JSON.stringify({ services }))
  const subject = ['-subj', '/CN=chat', '-addext', `subjectAltName=IP:${gateway}`]
  const key = ['-keyout', join(place, 'chat.key'), '-out', join(place, 'chat.pem')]
  const kind = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2']
  execFileSync('openssl', [...kind, ...subject, ...key], { stdio: 'ignore' })
}

const env = { ...engine.env, DOCKER_HOST: `unix://${socket}` }
/** Returns the output of docker-compose. @param {readonly string[]} args */
const compose = async (...args) => {
  const files = ['--env-file', 'rolecall.env', '--file', 'compose.yml', '--file', 'override.yml']
  return (await promisify(execFile)('docker-compose', [...files, ...args], { cwd: place, env })).stdout
}

/**
 * Starts a TLS proxy in front of the simulated platform, because the instances require TLS to another machine. Waits
 * until the network of the containers exists.
 * @param {URL} platform
 * @param {number} port
 */
function openDoor(platform, port) {
  const [key, cert] = ['chat.key', 'chat.pem'].map((name) => readFileSync(join(place, name)))
  const door = createServer({ ...(key && cert && { key, cert }) }, (inside) => {
    const outside = connect(Number(platform.port), platform.hostname)
    inside.pipe(outside).pipe(inside)
    for (const end of [inside, outside]) {
      end.on('error', () => {
        inside.destroy()
        outside.destroy()
      })
    }
  })
  const open = () => door.listen(port, gateway)
  let again = setTimeout(open)
  door.on('error', () => {
    again = setTimeout(open, 50)
  })
  return () => {
    clearTimeout(again)
    door.close()
  }
}

/** @param {string} service */
async function untilReady(service) {
  const program =
    "fetch('http://127.0.0.1:3000/api/health/ready').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await sleep(300)) {
    if (
      await compose('exec', '-T', service, 'node', '-e', program).then(
        () => true,
        () => false,
      )
    )
      return
  }
  throw new Error(`${service} did not become ready:\n${await compose('logs', '--no-color', service)}`)
}

async function tryIt() {
  const { demo, startChatSim } = await import('../packages/chat-sim/dist/index.js')
  const sim = await startChatSim({ headlessLogin: true })
  sim.allowRedirect(`${publicUrl}/api/auth/callback`)
  const platform = new URL(sim.apiUrl)
  /** @type {(() => void) | undefined} */
  let closeDoor
  try {
    const chat = { CHAT_API_URL: sim.apiUrl, CHAT_AUTHORIZE_URL: sim.authorizeUrl, CHAT_GATEWAY: 'off' }
    const secrets = { CHAT_BOT_TOKEN: sim.app.botToken, CHAT_CLIENT_SECRET: sim.app.clientSecret }
    const settings = Object.entries({ ...chat, ...secrets }).map(([name, value]) => `--env=${name}=${value}`)
    const answers = ['--public-url', publicUrl, '--server', demo.mainGuildId, '--admin-role', 'Steward']
    const image = ['--volume', `${place}:/data`, '--user', '0', 'rolecall', 'init', '--compose']
    const args = ['run', '--rm', '--network', 'host', '--no-healthcheck', ...settings, ...image]
    // The simulated platform runs in this process. So this must not wait synchronously for a program that calls it.
    await promisify(execFile)('podman', [...args, ...answers, '--output', 'rolecall.env'], { env })
    const port = await freePort()
    closeDoor = openDoor(platform, port)
    const seen = {
      ...chat,
      CHAT_API_URL: `https://${gateway}:${port}${platform.pathname}`,
      NODE_EXTRA_CA_CERTS: '/chat.pem',
    }
    const lines = Object.entries(seen).map(([name, value]) => `${name}=${value}\n`)
    appendFileSync(join(place, 'rolecall.env'), `\n${lines.join('')}`)
    await timed('up', async () => {
      await compose('up', '-d')
      await Promise.all([untilReady('rolecall-1'), untilReady('rolecall-2')])
    })
    const program = [
      'node',
      '/app/bin/rolecall.js',
      'projects',
      'create',
      'Site',
      '--redirect-uri',
      redirectUri,
    ]
    const made = await compose('exec', '-T', 'rolecall-1', ...program)
    const [, id = ''] = /^project {2}(\S+)$/m.exec(made) ?? []
    const [, key = ''] = /^API key {2}(\S+)/m.exec(made) ?? []
    const site = { url: publicUrl, id, key, redirectUri, serverId: demo.mainGuildId, member: demo.users.ada }
    await stopInTurn(site)
  } catch (error) {
    console.error(await compose('logs', '--no-color', '--tail', '30').catch(String))
    throw error
  } finally {
    await compose('down', '--volumes').catch(console.error)
    closeDoor?.()
    await sim.close()
  }
}

/** @param {object} site */
async function stopInTurn(site) {
  const authority = join(place, 'caddy.pem')
  writeFileSync(
    authority,
    await compose('exec', '-T', 'caddy', 'cat', '/data/caddy/pki/authorities/local/root.crt'),
  )
  const program = fileURLToPath(new URL('try-compose-site.js', import.meta.url))
  const child = spawn(process.execPath, [program], {
    env: { ...process.env, NODE_EXTRA_CA_CERTS: authority, SITE: JSON.stringify(site) },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    said += text
  })
  const ended = once(child, 'close')
  while (!said.includes('logged in')) {
    if (child.exitCode !== null) throw new Error('The sign-in failed.')
    await sleep(50)
  }
  for (const service of ['rolecall-1', 'rolecall-2']) {
    await timed(`${service} stopped and started`, async () => {
      await compose('stop', service)
      const id = (await compose('ps', '-q', service)).trim()
      const code = engine.podman('inspect', '--format', '{{.State.ExitCode}}', id).trim()
      if (code !== '0') throw new Error(`${service} ended with ${code}.`)
      await compose('start', service)
      await untilReady(service)
      // Waits until Caddy has checked the instance.
      await sleep(2_000)
    })
  }
  child.stdin.end()
  await ended
  const { answered, lost } = JSON.parse(said.split('\n')[1] ?? '')
  console.log(`${answered} validations answered, ${lost.length} lost`)
  if (lost.length > 0) throw new Error(lost.slice(0, 10).join('\n'))
}

/** @type {import('node:child_process').ChildProcess | undefined} */
let service
try {
  if (process.env['BASES'] === 'own') await timed('bases', () => makeBases(engine))
  await timed('other images', makeOthers)
  await timed('build', () => engine.build('docker.io/library/rolecall:latest'))
  writePlace()
  service = spawn('podman', ['system', 'service', '--time', '0', env.DOCKER_HOST], { env, stdio: 'inherit' })
  while (!existsSync(socket)) await sleep(50)
  await tryIt()
} finally {
  service?.kill()
  rmSync(folder, { recursive: true, force: true })
}
