import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { byAddress, givenSite, goesOn, packageVersion, type Row } from './party.ts'

interface Site {
  /** The program in tools/peers/relying-parties. */
  readonly file: string
  readonly callback?: string
  readonly signsOut?: true
}

/** Returns a site that uses a library from npm, in a separate program. */
const siteWith = (
  program: string,
  { file, callback = '/callback', signsOut }: Site,
  more: Pick<Row, 'endsByLogout'> = {},
): Row => ({
  program,
  guide: 'docs/guides/openid-connect.md',
  version: () => packageVersion(program),
  isThere: () => true,
  withoutRole: goesOn,
  ...more,
  async start({ world, port }) {
    const origin = `http://127.0.0.1:${port}`
    const project = await givenSite(world, origin, { callback, ...more })
    const given = { port, issuer: world.url, clientId: project.id, clientSecret: project.key }
    const path = fileURLToPath(
      new URL(`../../../../../tools/peers/relying-parties/${file}.js`, import.meta.url),
    )
    const child = fork(path, [JSON.stringify(given)], { execArgv: [], stdio: 'inherit' })
    await once(child, 'message')
    return {
      origin,
      project,
      signIn: byAddress(`${origin}/login`),
      ...(signsOut && { signOut: { begin: byAddress(`${origin}/logout`), end: '/goodbye' } }),
      stop: () => child.kill('SIGKILL'),
    }
  },
})

export const sites: readonly Row[] = [
  siteWith('openid-client', { file: 'openid-client', signsOut: true }),
  siteWith('@auth/core', { file: 'auth-js', callback: '/auth/callback/rolecall' }),
  siteWith('express-openid-connect', { file: 'express-openid-connect' }, { endsByLogout: true }),
]
