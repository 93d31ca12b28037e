import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inject, vi } from 'vitest'
import { fencesOf } from '../../../../../acceptance/browser/shell.ts'
import { copyFolder } from '../../../../../tools/copy-folder.ts'
import { debianVersion } from '../../../../../tools/install-debian.ts'
import { isInstalled } from '../../../../../tools/install-once.js'
import { noteRun, noteSkipped } from '../../../../../tools/shown/notes.ts'
import { byButton, givenSite, goesOn, type Place, packageVersion, type Row } from './party.ts'

interface Recipe extends Pick<Row, 'endsByLogout' | 'showsRefusal'> {
  readonly program: string
  /** The page in docs/guides/programs. */
  readonly page: string
  /** The path of the callback on the page. */
  readonly callback: string
  /** The host of the site. Next.js replaces loopback addresses by `localhost`. */
  readonly host?: 'localhost'
  /** The packages of Debian, the program first. Without them, the program is a package from npm. */
  readonly debian?: readonly [string, ...string[]]
  /** The folder whose lock file has the package from npm. */
  readonly peers?: string
  /** The folder in which the first line of the command puts what it builds. */
  readonly build?: string
}

const root = fileURLToPath(new URL('../../../../..', import.meta.url))

/** The program of a page in docs/guides/programs, as a reader copies and starts it. */
const recipe = ({ program, page, callback, debian, ...settings }: Recipe): Row => {
  const { host = '127.0.0.1', peers = 'tools/peers', build, ...more } = settings
  const guide = `docs/guides/programs/${page}.md`
  return {
    program,
    guide,
    version: () => (debian ? debianVersion(debian[0]) : packageVersion(program, peers)),
    isThere: () => {
      const missing = debian?.filter((name) => debianVersion(name) === undefined) ?? missingPeers(peers)
      if (missing.length > 0) noteSkipped(commandOf(guide), `${missing.join(', ')}: not installed`)
      return missing.length === 0
    },
    withoutRole: goesOn,
    refreshes: true,
    ...more,
    async start({ world, port }) {
      const origin = `http://${host}:${port}`
      const project = await givenSite(world, origin, { callback, ...more })
      const variables = variablesCommand()
      const setUp = variables
        .replace('http://127.0.0.1:3000', world.url)
        .replace('http://127.0.0.1:8080', origin)
        .replace('<id>', project.id)
        .replace('<key>', project.key)
      const stop = await startSite(guide, { port, setUp, folder: join(root, peers, 'dist'), build })
      noteRun(variables)
      return {
        origin,
        project,
        signIn: byButton(origin, 'Sign in'),
        signOut: { begin: byButton(origin, 'Sign out'), end: '/goodbye' },
        stop,
      }
    },
  }
}

const missingPeers = (folder: string) => (isInstalled(folder) ? [] : [`the packages of ${folder}`])

/** Returns the first shell block of a page. */
const commandOf = (guide: string) =>
  fencesOf(readFileSync(join(root, guide), 'utf8'))
    .find(({ language }) => language === 'sh')
    ?.text.trimEnd() ?? ''

/** Returns the commands that set the variables for the site of each page. */
const variablesCommand = () => commandOf('docs/guides/programs/README.md')

interface SitePlace extends Pick<Place, 'port'> {
  readonly build?: string | undefined
  /** The commands to run before the command of the page. */
  readonly setUp: string
  /** A folder in which the packages of the site are found by name. */
  readonly folder: string
  /** Replaces the values in the files, as a reader does. */
  readonly fill?: (text: string) => string
}

/** Writes the files of a page to a new folder, and runs its command. Returns a function that stops it. */
export async function startSite(
  guide: string,
  { port, setUp, folder, build, fill = (text) => text }: SitePlace,
) {
  await mkdir(folder, { recursive: true })
  const place = await mkdtemp(join(folder, 'recipe-'))
  // Next.js reads nothing from a folder that contains the home directory.
  const home = await mkdtemp(join(tmpdir(), 'recipe-home-'))
  for (const [name, code] of filesOf(guide)) {
    await mkdir(dirname(join(place, name)), { recursive: true })
    await writeFile(join(place, name), fill(code).replaceAll('8080', String(port)))
  }
  const command = commandOf(guide)
  // A build takes half a minute of processor time. So a test run makes only one.
  const built = join(inject('onceFolder'), `${basename(guide)}-build`)
  const isBuilt = build !== undefined && existsSync(built)
  if (isBuilt) await copyFolder(built, join(place, build))
  const commandToRun = isBuilt ? command.slice(command.indexOf('\n') + 1) : command
  const site = spawn('sh', ['-ec', `${setUp}\n${commandToRun.replaceAll('8080', String(port))}`], {
    cwd: place,
    env: {
      PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
      HOME: home,
      NEXT_TELEMETRY_DISABLED: '1',
      npm_config_update_notifier: 'false',
    },
    stdio: 'ignore',
    // The process group includes the processes that the shell starts.
    detached: true,
  })
  const stop = async () => {
    await end(site)
    for (const path of [place, home]) await rm(path, { recursive: true, force: true })
  }
  const isUp = () => {
    if (site.exitCode !== null) throw new Error(`${guide}: the command ended with ${site.exitCode}`)
    return answers(`http://127.0.0.1:${port}`)
  }
  try {
    await vi.waitUntil(isUp, { timeout: 120_000, interval: 100 })
  } catch (error) {
    await stop()
    throw error
  }
  noteRun(command)
  if (build !== undefined && !isBuilt) await keepBuild(join(place, build), built)
  return stop
}

/** Makes a complete copy, and then renames it. Another caller may have been faster. */
async function keepBuild(build: string, built: string) {
  const copy = join(await mkdtemp(`${built}-`), 'copy')
  await copyFolder(build, copy)
  await rename(copy, built).catch(() => rm(copy, { recursive: true }))
}

/** Returns the files of a page: each code block that begins with a file name in a comment. */
const filesOf = (guide: string): [name: string, code: string][] =>
  fencesOf(readFileSync(join(root, guide), 'utf8')).flatMap(({ text }) => {
    const name = /^(?:\/\/|#|<!--) ([\w./[\]-]+\.(?:m?js|py|ru|html))\b/.exec(text)?.[1]
    return name ? [[name, text]] : []
  })

const answers = (url: string) =>
  fetch(url, { redirect: 'manual' }).then(
    () => true,
    () => false,
  )

async function end(site: ChildProcess) {
  if (site.pid === undefined || site.exitCode !== null) return
  process.kill(-site.pid, 'SIGKILL')
  await once(site, 'exit')
}

const authlib: Recipe = {
  program: 'Authlib',
  page: 'authlib',
  callback: '/callback',
  debian: ['python3-authlib', 'python3-flask', 'python3-requests'],
  endsByLogout: true,
  showsRefusal: true,
}
const omniauth: Recipe = {
  program: 'OmniAuth',
  page: 'omniauth',
  callback: '/auth/rolecall/callback',
  debian: ['ruby-omniauth-openid-connect', 'ruby-webrick'],
}

/** The folder with Next.js, which only its own recipe needs. */
export const nextPeers = 'tools/peers/next'
const nextAuth: Recipe = {
  program: 'next-auth',
  page: 'next-auth',
  callback: '/api/auth/callback/rolecall',
  host: 'localhost',
  peers: nextPeers,
  build: '.next',
}

/** The packages of Debian that the recipes need. */
export const debianPackages = [authlib, omniauth].flatMap(({ debian }) => debian ?? [])

export const recipes: readonly Row[] = [
  recipe({ program: 'passport-openidconnect', page: 'passport', callback: '/callback' }),
  recipe({ program: 'better-auth', page: 'better-auth', callback: '/api/auth/callback/rolecall' }),
  recipe(nextAuth),
  recipe(authlib),
  recipe(omniauth),
]
