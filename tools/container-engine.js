import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

// Runs Debian's buildah and podman without a daemon and without systemd, for the programs that try a release. To
// install them, run as root: apt-get install --no-install-recommends buildah podman netavark aardvark-dns runc
// mmdebstrap

const root = fileURLToPath(new URL('..', import.meta.url))

/** @typedef {ReturnType<typeof createEngine>} Engine */

/**
 * Creates an engine that keeps its images, containers, and networks in one folder.
 * @param {string} folder
 */
export function createEngine(folder) {
  const own = (/** @type {string} */ name) => JSON.stringify(join(folder, name))
  writeFileSync(
    join(folder, 'storage.conf'),
    `[storage]\ndriver = "vfs"\ngraphroot = ${own('store')}\nrunroot = ${own('run')}\n`,
  )
  writeFileSync(
    join(folder, 'containers.conf'),
    [
      '[containers]',
      // podman would raise these limits, which fails if this machine is itself a container.
      'default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]',
      '[network]',
      'network_backend = "netavark"',
      `network_config_dir = ${own('networks')}`,
      '[engine]',
      'cgroup_manager = "cgroupfs"',
      'events_logger = "file"',
      'runtime = "runc"',
      `static_dir = ${own('static')}`,
      `tmp_dir = ${own('tmp')}`,
      `volume_path = ${own('volumes')}`,
    ].join('\n'),
  )
  const env = {
    ...process.env,
    CONTAINERS_CONF: join(folder, 'containers.conf'),
    CONTAINERS_STORAGE_CONF: join(folder, 'storage.conf'),
  }
  /** @param {string} program @param {readonly string[]} args */
  const run = (program, ...args) =>
    execFileSync(program, args, { stdio: ['ignore', 'inherit', 'inherit'], cwd: root, env })
  /** Returns the output of podman. @param {readonly string[]} args */
  const podman = (...args) =>
    execFileSync('podman', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], env })
  /**
   * Builds the Dockerfile. Sets all times to that of the last commit, so that the image can be reproduced.
   * @param {string} image
   * @param {string} [source]
   */
  const build = (image, source = root) => {
    const time = execFileSync('git', ['log', '-1', '--format=%ct'], { encoding: 'utf8', cwd: root }).trim()
    const options = ['--isolation', 'chroot', '--format', 'docker', '--pull=never', '--timestamp', time]
    run('buildah', 'bud', ...options, '--tag', image, source)
  }
  return { folder, env, run, podman, build }
}

/**
 * Creates an image with the given contents, under the name that it has in a registry.
 * @param {Engine} engine
 * @param {string} name
 * @param {readonly string[]} contents archives and folders
 * @param {readonly string[]} settings
 */
export function makeImage({ run }, name, contents, settings = []) {
  const container = name.replace(/\W/g, '-')
  run('buildah', 'from', '--name', container, 'scratch')
  for (const one of contents) run('buildah', 'add', '--quiet', container, one, '/')
  if (settings.length > 0) run('buildah', 'config', ...settings, container)
  run('buildah', 'commit', '--quiet', '--format', 'docker', '--rm', container, `docker.io/${name}`)
}

/**
 * Creates an archive with the files of Debian 12.
 * @param {Engine} engine
 * @param {string} name
 * @param {string} packages
 */
export function makeDebian({ folder, run }, name, packages) {
  const tar = join(folder, `${name}.tar`)
  run('mmdebstrap', '--quiet', '--variant=minbase', `--include=${packages}`, 'bookworm', tar)
  return tar
}

/** Creates the two base images of the Dockerfile from Debian's packages and npm's Node.js. @param {Engine} engine */
export function makeBases(engine) {
  const { folder, run } = engine
  const tar = makeDebian(engine, 'debian', 'ca-certificates')
  run('npm', 'install', '--silent', '--prefix', join(folder, 'npm'), 'node@24')
  const node = join(folder, 'node')
  mkdirSync(join(node, 'usr/local/bin'), { recursive: true })
  cpSync(join(folder, 'npm/node_modules/node/bin/node'), join(node, 'usr/local/bin/node'))
  // The build must trust the same certificate authorities as this machine, because registries may be behind its proxy.
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
  makeImage(engine, 'library/debian:bookworm-slim', [tar])
  const trusting = ['--env', 'NODE_EXTRA_CA_CERTS=/usr/local/share/trusted.crt']
  makeImage(engine, 'library/node:24-bookworm-slim', [tar, node], trusting)
}

/** @param {string} title @param {() => unknown} work a text that it returns is printed */
export async function timed(title, work) {
  const began = performance.now()
  const result = await work()
  console.log(
    `${title}: ${((performance.now() - began) / 1_000).toFixed(1)} s${typeof result === 'string' ? `, ${result}` : ''}`,
  )
}
