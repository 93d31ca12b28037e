import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { vi } from 'vitest'
import { fencesOf } from '../../../../../acceptance/browser/shell.ts'
import { debianVersion } from '../../../../../tools/install-debian.ts'
import { noteRun, noteSkipped } from '../../../../../tools/shown/notes.ts'
import { byButton, givenSite, goesOn, type Place, packageVersion, type Row } from './party.ts'

interface Recipe extends Pick<Row, 'endsByLogout' | 'showsRefusal'> {
  readonly program: string
  /** The page in docs/guides/programs. */
  readonly page: string
  /** The callback of the page. */
  readonly callback: string
  /** The packages of Debian, the program first; without them, the program is a package from npm. */
  readonly debian?: readonly [string, ...string[]]
}

const root = fileURLToPath(new URL('../../../../..', import.meta.url))
/** A folder in which the packages of `tools/peers` are found by name. */
const folder = join(root, 'tools/peers/dist')

/** The program of a page in docs/guides/programs, as a reader copies and starts it. */
const recipe = ({ program, page, callback, debian, ...more }: Recipe): Row => {
  const guide = `docs/guides/programs/${page}.md`
  return {
    program,
    guide,
    version: () => (debian ? debianVersion(debian[0]) : packageVersion(program)),
    isThere: () => {
      const missing = debian?.filter((name) => debianVersion(name) === undefined) ?? []
      if (missing.length > 0) noteSkipped(commandOf(guide), `${missing.join(', ')} is missing`)
      return missing.length === 0
    },
    withoutRole: goesOn,
    refreshes: true,
    ...more,
    async start({ world, port }) {
      const origin = `http://127.0.0.1:${port}`
      const project = await givenSite(world, origin, { callback, ...more })
      const env = {
        ROLECALL_URL: world.url,
        ROLECALL_CLIENT_ID: project.id,
        ROLECALL_API_KEY: project.key,
        ROLECALL_APP_URL: origin,
        ROLECALL_SECRET: '0123456789abcdef0123456789abcdef',
      }
      const stop = await startSite(guide, { port, env })
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

const commandOf = (guide: string) =>
  fencesOf(readFileSync(join(root, guide), 'utf8'))
    .find(({ language }) => language === 'sh')
    ?.text.trimEnd() ?? ''

/** Writes the files of a page into a folder of their own, and starts it by its command. Returns how to stop it. */
async function startSite(
  guide: string,
  { port, env }: Pick<Place, 'port'> & { readonly env: Readonly<Record<string, string>> },
) {
  await mkdir(folder, { recursive: true })
  const place = await mkdtemp(join(folder, 'recipe-'))
  for (const [name, code] of filesOf(guide)) {
    await writeFile(join(place, name), code.replaceAll('8080', String(port)))
  }
  const command = commandOf(guide)
  const site = spawn('sh', ['-ec', command.replaceAll('8080', String(port))], {
    cwd: place,
    env: { PATH: `${process.execPath}/..:/usr/bin:/bin`, HOME: place, ...env },
    stdio: 'ignore',
    // The process group includes what the shell starts.
    detached: true,
  })
  await vi.waitUntil(() => answers(`http://127.0.0.1:${port}`), { timeout: 60_000, interval: 100 })
  noteRun(command)
  return async () => {
    await end(site)
    await rm(place, { recursive: true, force: true })
  }
}

/** Returns the files of a page: each block that begins with a name in a comment. */
export const filesOf = (guide: string): [name: string, code: string][] =>
  fencesOf(readFileSync(join(root, guide), 'utf8')).flatMap(({ text }) => {
    const name = /^(?:\/\/|#|<!--) ([\w.-]+\.(?:js|py|ru|html))\b/.exec(text)?.[1]
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

/** The packages of Debian that the recipes need. */
export const debianPackages = [authlib, omniauth].flatMap(({ debian }) => debian ?? [])

export const recipes: readonly Row[] = [
  recipe({ program: 'passport-openidconnect', page: 'passport', callback: '/callback' }),
  recipe({ program: 'better-auth', page: 'better-auth', callback: '/api/auth/callback/rolecall' }),
  recipe(authlib),
  recipe(omniauth),
]
