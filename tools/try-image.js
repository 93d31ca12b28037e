import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createEngine, makeBases, timed } from './container-engine.js'
import { freePort } from './free-port.js'
import { ask, logIn } from './try-login.js'

// Builds the image of the Dockerfile twice, the second time from a fresh clone, and checks that both are equal.
// Compares the image's bill of materials with its contents. Sets the service up, starts it as in production (as a user,
// with a read-only root, and without capabilities), signs a member in, and stops it.
//
// Needs root on Debian, the packages that container-engine.js lists, and a clone that is built and has no uncommitted
// changes. On a machine without access to a registry of images, set BASES=own, which creates the two base images from
// Debian's packages and npm's Node.js. Takes minutes, so it is not part of the suite. Run it by hand before a release.
//
// Does not test the timer of the HEALTHCHECK, because podman needs systemd for it. tools/artifacts.test.ts runs the
// command of the check.

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'rolecall-image-'))
const engine = createEngine(folder)
const { run, podman } = engine
const image = 'localhost/rolecall:try'

/**
 * Returns arguments of podman with all restrictions of production.
 *
 * @param {string} data
 * @param {readonly string[]} more
 */
const confined = (data, ...more) => [
  ...['--network', 'host', '--no-healthcheck', '--read-only', '--cap-drop=all'],
  ...['--security-opt', 'no-new-privileges', '--volume', `${data}:/data`, ...more, image],
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
  // The simulated platform runs in this process. So this must not wait synchronously for a program that calls it.
  const made = await new Promise((resolve, reject) => {
    const settings = Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`])
    const options = Object.entries(answers).flatMap(([name, value]) => [`--${name}`, value])
    const args = ['run', '--rm', ...confined(data, ...settings), 'init', ...options]
    const child = spawn('podman', args, { env: engine.env })
    let out = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text) => {
        out += text
      })
    child.once('close', (code) => (code === 0 ? resolve(out) : reject(new Error(out))))
  })
  const [, id = ''] = /^project {2}(\S+)$/m.exec(made) ?? []
  const [, key = ''] = /^API key {2}(\S+)/m.exec(made) ?? []

  // Overrides HOST of the image, which is for a network of the container's own. Here, it uses the network of the
  // machine.
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
    spawnSync('podman', ['rm', '--force', 'tried'], { env: engine.env })
    await sim.close()
  }
}

/** @param {string} url */
const isReady = (url) =>
  fetch(`${url}/api/health/ready`).then(
    ({ ok }) => ok,
    () => false,
  )

/**
 * Returns the digest that a registry would use. It is that of the OCI format, because Docker's format contains the name
 * of the build container, which differs each time.
 * @param {string} name
 */
function digestOf(name) {
  const to = join(folder, 'oci', name.replace(/\W/g, '-'))
  mkdirSync(join(folder, 'oci'), { recursive: true })
  run('buildah', 'push', '--quiet', '--format', 'oci', name, `oci:${to}:x`)
  return JSON.parse(readFileSync(join(to, 'index.json'), 'utf8')).manifests[0].digest
}

function buildAgain() {
  const clone = join(folder, 'clone')
  // Clones with another umask, which another developer may have.
  execFileSync('sh', ['-c', 'umask 002 && git clone --quiet "$0" "$1"', root, clone])
  engine.build('localhost/rolecall:again', clone)
  const [first, second] = [digestOf(image), digestOf('localhost/rolecall:again')]
  if (first !== second) throw new Error(`Two builds of one commit differ: ${first}, ${second}`)
  return `the same digest, ${first}`
}

/** Throws if the bill of materials omits a package of the image, or lists a package that the image does not contain. */
function compareBill() {
  const inImage = (/** @type {string} */ program) => {
    const args = ['run', '--rm', '--network', 'none', '--no-healthcheck', '--entrypoint', 'node', image]
    return JSON.stringify([...new Set(JSON.parse(podman(...args, '-p', program)))].sort())
  }
  const listed = inImage(`JSON.stringify(JSON.parse(fs.readFileSync('/app/sbom.cdx.json')).components.map(
    ({ purl }) => decodeURIComponent(purl).slice('pkg:npm/'.length)))`)
  const held = inImage(`JSON.stringify(fs.globSync('/app/**/node_modules/{*,@*/*}/package.json').map(
    (path) => JSON.parse(fs.readFileSync(path))).map(({ name, version }) => name + '@' + version))`)
  if (listed !== held) throw new Error(`Listed: ${listed}\nHeld: ${held}`)
  return `${JSON.parse(held).length} packages`
}

try {
  if (process.env['BASES'] === 'own') await timed('bases', () => makeBases(engine))
  await timed('build', () => engine.build(image))
  await timed('again', buildAgain)
  await timed(
    'size',
    () => `${Math.round(Number(podman('image', 'inspect', '--format', '{{.Size}}', image)) / 1e6)} MB`,
  )
  await timed('bill of materials', compareBill)
  await tryIt()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
