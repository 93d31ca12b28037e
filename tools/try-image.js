import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from './free-port.js'
import { ask, logIn } from './try-login.js'

// Builds the image of the Dockerfile, sets it up, starts it as production does (user, read-only root, no capabilities), logs a
// member in, and stops it. As root on Debian, with no daemon: apt-get install --no-install-recommends buildah podman runc mmdebstrap
// BASES=own makes the two base images of Debian's packages and npm's Node.js, under the names that the Dockerfile has, for a
// machine that reaches no registry of images. Takes minutes, so it is no part of the suite: by hand before a release.
// Not tried by it: the timer of the HEALTHCHECK (podman needs systemd for it; tools/artifacts.test.ts runs its command), and the digests of two builds.

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'rolecall-image-'))
const storage = ['--root', join(folder, 'store'), '--runroot', join(folder, 'run'), '--storage-driver', 'vfs']
const image = 'localhost/rolecall:try'
const limits = ['--ulimit', 'nofile=4096:4096', '--ulimit', 'nproc=4096:4096']

/** @param {string} program @param {readonly string[]} args */
const run = (program, ...args) =>
  execFileSync(program, args, { stdio: ['ignore', 'inherit', 'inherit'], cwd: root })
/** @param {readonly string[]} args */
const buildah = (...args) => run('buildah', ...storage, ...args)
/** @param {readonly string[]} args */
const podman = (...args) =>
  execFileSync('podman', [...storage, '--cgroup-manager', 'cgroupfs', '--runtime', 'runc', ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })

/** @param {string} title @param {() => unknown} work */
async function timed(title, work) {
  const began = performance.now()
  const result = await work()
  console.log(
    `${title}: ${((performance.now() - began) / 1_000).toFixed(1)} s${typeof result === 'string' ? `, ${result}` : ''}`,
  )
}

function makeBases() {
  const tar = join(folder, 'debian.tar')
  run('mmdebstrap', '--quiet', '--variant=minbase', '--include=ca-certificates', 'bookworm', tar)
  run('npm', 'install', '--silent', '--prefix', join(folder, 'npm'), 'node@24')
  const node = join(folder, 'node')
  mkdirSync(join(node, 'usr/local/bin'), { recursive: true })
  cpSync(join(folder, 'npm/node_modules/node/bin/node'), join(node, 'usr/local/bin/node'))
  // Whom this machine trusts, the build trusts: a registry may be reached through a proxy of its own.
  const trusted = process.env['NODE_EXTRA_CA_CERTS'] ?? '/etc/ssl/certs/ca-certificates.crt'
  mkdirSync(join(node, 'usr/local/share'), { recursive: true })
  cpSync(trusted, join(node, 'usr/local/share/trusted.crt'), { dereference: true })
  const globals = execFileSync('npm', ['root', '--global'], { encoding: 'utf8' }).trim()
  cpSync(realpathSync(join(globals, 'npm')), join(node, 'usr/local/lib/node_modules/npm'), {
    recursive: true,
  })
  for (const name of ['npm', 'npx']) {
    run('ln', '-s', `../lib/node_modules/npm/bin/${name}-cli.js`, join(node, 'usr/local/bin', name))
  }
  for (const [name, contents] of /** @type {const} */ ([
    ['debian:bookworm-slim', [tar]],
    ['node:24-bookworm-slim', [tar, node]],
  ])) {
    const container = name.replace(/\W/g, '-')
    buildah('from', '--name', container, 'scratch')
    for (const one of contents) buildah('add', '--quiet', container, one, '/')
    if (contents.length > 1)
      buildah('config', '--env', 'NODE_EXTRA_CA_CERTS=/usr/local/share/trusted.crt', container)
    buildah('commit', '--quiet', '--rm', container, `docker.io/library/${name}`)
  }
}

/** Everything that production takes away. @param {string} data @param {readonly string[]} more */
const confined = (data, ...more) => [
  ...['--network', 'host', '--no-healthcheck', '--read-only', '--cap-drop=all'],
  ...['--security-opt', 'no-new-privileges', ...limits, '--volume', `${data}:/data`, ...more, image],
]

async function tryIt() {
  const { demo, startChatSim } = await import('../packages/chat-sim/dist/index.js')
  const sim = await startChatSim({ headlessLogin: true })
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const redirectUri = 'https://site.example/callback'
  sim.allowRedirect(`${url}/api/auth/callback`)
  const data = join(folder, 'data')
  mkdirSync(data)
  run('chown', '65532:65532', data)
  const env = {
    CHAT_API_URL: sim.apiUrl,
    CHAT_AUTHORIZE_URL: sim.authorizeUrl,
    CHAT_GATEWAY: 'off',
    CHAT_BOT_TOKEN: sim.app.botToken,
    CHAT_CLIENT_SECRET: sim.app.clientSecret,
  }
  const answers = {
    server: demo.mainGuildId,
    'admin-role': 'Steward',
    'public-url': url,
    database: 'pglite:/data/db',
    project: 'Site',
    'redirect-uri': redirectUri,
  }
  // The simulated platform lives in this process: what asks it must not be waited for in a blocking way.
  const made = await new Promise((resolve, reject) => {
    const settings = Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`])
    const options = Object.entries(answers).flatMap(([name, value]) => [`--${name}`, value])
    const args = ['run', '--rm', ...confined(data, ...settings), 'init', ...options]
    const child = spawn('podman', [...storage, '--cgroup-manager', 'cgroupfs', '--runtime', 'runc', ...args])
    let out = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text) => {
        out += text
      })
    child.once('close', (code) => (code === 0 ? resolve(out) : reject(new Error(out))))
  })
  const [, id = ''] = /^project {2}(\S+)$/m.exec(made) ?? []
  const [, key = ''] = /^API key {2}(\S+)/m.exec(made) ?? []

  // HOST of the image is for a network of its own; this one is the machine's.
  const args = confined(data, '--env', `PORT=${port}`, '--env', 'HOST=127.0.0.1')
  podman('run', '--detach', '--name', 'tried', ...args)
  try {
    await timed('ready', async () => {
      while (!(await isReady(url))) await sleep(100)
    })
    await timed('login', async () => {
      const site = { url, id, key, redirectUri, serverId: demo.mainGuildId }
      const { status } = await ask(site, '/api/auth/validate', { token: await logIn(site, demo.users.ada) })
      if (status !== 200) throw new Error(`validate answered ${status}`)
    })
    const [pid] = podman('top', 'tried', 'hpid').trim().split('\n').slice(1)
    const status = execFileSync('cat', [`/proc/${pid}/status`], { encoding: 'utf8' })
    for (const line of status.split('\n'))
      if (/^(Uid|CapEff|CapBnd|NoNewPrivs|Seccomp):/.test(line)) console.log(line)
    await timed('stop', () => podman('stop', '--time', '15', 'tried'))
    const code = podman('inspect', '--format', '{{.State.ExitCode}}', 'tried').trim()
    if (code !== '0') throw new Error(`It ended with ${code}.`)
  } finally {
    spawnSync('podman', [...storage, 'rm', '--force', 'tried'])
    await sim.close()
  }
}

/** @param {string} url */
const isReady = (url) =>
  fetch(`${url}/api/health/ready`).then(
    ({ ok }) => ok,
    () => false,
  )

try {
  if (process.env['BASES'] === 'own') await timed('bases', makeBases)
  await timed('build', () =>
    buildah('bud', '--isolation', 'chroot', '--format', 'docker', '--pull=never', '--tag', image, '.'),
  )
  await timed(
    'size',
    () => `${Math.round(Number(podman('image', 'inspect', '--format', '{{.Size}}', image)) / 1e6)} MB`,
  )
  await tryIt()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
