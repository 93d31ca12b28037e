import { param, type Reply } from '../http/call.ts'
import { notFound } from '../http/platform-error.ts'
import type { Route } from '../http/route.ts'
import { emblem, emblemPng, portrait, portraitPng } from './drawings.ts'

interface Drawing {
  readonly svg: (seed: string) => string
  readonly png: (seed: string) => Buffer
}

const person: Drawing = { svg: portrait, png: portraitPng }
const ship: Drawing = { svg: emblem, png: emblemPng }
const nobody: Drawing = { svg: (seed) => portrait(seed, true), png: portraitPng }

const image = (
  path: string,
  { svg, png }: Drawing,
  seedOf: (params: Readonly<Record<string, string>>) => string,
): Route => ({
  name: 'cdn',
  method: 'GET',
  path,
  at: 'root',
  auth: 'none',
  handle(_platform, call): Reply {
    const file = param(call, 'file')
    // Accepts the extensions that the platform supports. The simulator cannot draw all of these formats. It sends SVG
    // for the others, which works because browsers decide by the content type.
    if (!/\.(?:png|jpe?g|webp|gif|svg)$/.test(file)) throw notFound()
    const isPng = file.endsWith('.png')
    const seed = seedOf(call.params)
    return {
      status: 200,
      headers: {
        'content-type': isPng ? 'image/png' : 'image/svg+xml',
        'cache-control': 'public, max-age=31536000',
        'access-control-allow-origin': '*',
        'x-content-type-options': 'nosniff',
      },
      body: isPng ? png(seed) : svg(seed),
    }
  },
})

const stem = (file = '') => file.replace(/\.\w+$/, '')

/** The route of a user's picture. */
export const avatar = image('/cdn/avatars/:user/:file', person, ({ user, file }) => `${user}${stem(file)}`)
/** The route of the pictures for users without a picture of their own. */
export const defaultAvatar = image('/cdn/embed/avatars/:file', nobody, ({ file }) => `default ${stem(file)}`)
/** The route of a server's icon. */
export const guildIcon = image('/cdn/icons/:guild/:file', ship, ({ guild, file }) => `${guild}${stem(file)}`)
/** The route of a member's picture for one server. */
export const guildAvatar = image(
  '/cdn/guilds/:guild/users/:user/avatars/:file',
  person,
  ({ user, file }) => `${user}${stem(file)}`,
)
