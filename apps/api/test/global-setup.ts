import { existsSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import type { TestProject, Vitest } from 'vitest/node'
import { buildOnce } from '../../../tools/build-once.js'
import { chromiumNames, headlessShell } from '../../../tools/chromium.ts'
import { installDebian, mayInstall } from '../../../tools/install-debian.ts'
import { migrate } from '../src/platform/db/migrate.ts'
import { openDatabase } from '../src/platform/db/open-database.ts'
import { makeDataFolder } from './data-folder.ts'
import { startPostgres } from './postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The URL of the PostgreSQL server that all test files share. Each file creates its own databases. */
    postgresUrl: string
    /** A migrated PGlite folder, as a template. */
    pgliteTemplate: string
    /** The folder in which tests record the statements that PGlite has run. */
    statementsFolder: string
    /**
     * The folder for results that a run creates once. The first test file that needs a result stores it for the others.
     */
    onceFolder: string
    /** True if the run selects no folder, test, or project. */
    isWholeRun: boolean
  }
}

/** Real programs that the suite uses, and the Debian package of each. */
const programs = [
  { names: ['redis-server', 'valkey-server'], package: 'redis-server' },
  { names: chromiumNames, package: 'chromium' },
]

/** The proxies behind which the service is tested. Tests with a missing proxy are skipped, with a message. */
const proxies: readonly {
  readonly name: string
  readonly file?: string
  readonly packages: readonly string[]
}[] = [
  { name: 'haproxy', packages: ['haproxy'] },
  { name: 'nginx', packages: ['nginx'] },
  { name: 'caddy', packages: ['caddy'] },
  { name: 'apache2', packages: ['apache2-bin'] },
  // A separate package, which may be missing even if Apache is installed.
  { name: 'lua-socket', file: '/usr/share/lua/5.1/socket.lua', packages: ['lua-socket'] },
  {
    name: 'mod_auth_openidc',
    file: '/usr/lib/apache2/modules/mod_auth_openidc.so',
    packages: ['libapache2-mod-auth-openidc'],
  },
]

/** Starts the PostgreSQL server that all test files share, and creates the PGlite folder that they copy. */
export default async function setup(project: TestProject) {
  preferHeadlessShell()
  for (const program of programs) ensureProgram(program)
  for (const proxy of proxies) installProxy(proxy)
  // Builds once before the tests, because concurrent builds would read each other's partial output.
  const [postgres] = await Promise.all([startPostgres(), buildOnce()])
  const folder = await makeDataFolder('rolecall-template-')
  const pgliteTemplate = join(folder, 'db')
  const embedded = await openDatabase(`pglite:${pgliteTemplate}`)
  await migrate(embedded)
  await embedded.close()
  const template = await openDatabase(postgres.url)
  await migrate(template)
  await template.close()
  project.provide('postgresUrl', postgres.url)
  project.provide('pgliteTemplate', pgliteTemplate)
  const statementsFolder = join(folder, 'statements')
  await mkdir(statementsFolder)
  project.provide('statementsFolder', statementsFolder)
  const onceFolder = join(folder, 'once')
  await mkdir(onceFolder)
  project.provide('onceFolder', onceFolder)
  project.provide('isWholeRun', isWholeRun(project.vitest))
  return async () => {
    await postgres.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Returns true for a run of all tests. Vitest exposes the selected names only here. */
const isWholeRun = (vitest: Vitest) =>
  Reflect.get(vitest, 'filenamePattern') === undefined &&
  (vitest.config.project.length === 0 || vitest.config.project.includes('*')) &&
  vitest.config.testNamePattern === undefined &&
  vitest.config.shard === undefined

const isInstalled = (name: string) =>
  (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, name)))

/** Installs the browser that tests prefer. Without it, they use another browser, which takes longer. */
function preferHeadlessShell() {
  try {
    installDebian([headlessShell])
  } catch {
    console.warn(`${headlessShell} cannot be installed, so tests in a browser take longer.`)
  }
}

function ensureProgram({ names, package: name }: (typeof programs)[number]) {
  if (names.some(isInstalled)) return
  if (!mayInstall) {
    throw new Error(
      `The tests need ${names.join(' or ')} on the PATH: apt-get install ${name}, or brew install ${name}.`,
    )
  }
  installDebian([name])
}

function installProxy({ name, file = join('/usr/sbin', name), packages }: (typeof proxies)[number]) {
  if (isInstalled(name) || existsSync(file)) return
  if (mayInstall) installDebian(packages)
  else
    console.warn(
      `${name} is not installed, so tests behind it are SKIPPED. To install it: apt-get install ${packages.join(' ')}`,
    )
}
