import { param, type Reply } from '../http/call.ts'
import { notFound } from '../http/platform-error.ts'
import type { Route } from '../http/route.ts'
import { emblem, portrait } from './drawings.ts'

const image = (path: string, draw: (params: Readonly<Record<string, string>>) => string): Route => ({
  name: 'cdn',
  method: 'GET',
  path,
  at: 'root',
  auth: 'none',
  handle(_platform, call): Reply {
    // The platform knows these endings. All are answered with SVG: browsers go by the content type.
    if (!/\.(?:png|jpe?g|webp|gif|svg)$/.test(param(call, 'file'))) throw notFound()
    return {
      status: 200,
      headers: {
        'content-type': 'image/svg+xml',
        'cache-control': 'public, max-age=31536000',
        'access-control-allow-origin': '*',
        'x-content-type-options': 'nosniff',
      },
      body: draw(call.params),
    }
  },
})

const stem = (file = '') => file.replace(/\.\w+$/, '')

export const avatar = image('/cdn/avatars/:user/:file', ({ user, file }) => portrait(`${user}${stem(file)}`))
export const defaultAvatar = image('/cdn/embed/avatars/:file', ({ file }) =>
  portrait(`default ${stem(file)}`, true),
)
export const guildIcon = image('/cdn/icons/:guild/:file', ({ guild, file }) =>
  emblem(`${guild}${stem(file)}`),
)
export const guildAvatar = image('/cdn/guilds/:guild/users/:user/avatars/:file', ({ user, file }) =>
  portrait(`${user}${stem(file)}`),
)
