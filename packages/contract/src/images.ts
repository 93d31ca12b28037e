import { Type } from 'typebox'
import { endpoint } from './endpoint.ts'
import { Closed, OneOf, Snowflake } from './formats.ts'
import { patterns } from './patterns.ts'

/** The media types of pictures. None of them can contain a script. */
export const pictureTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const

const ImageHash = Type.String({ pattern: patterns.imageHash.pattern, maxLength: 66 })

/**
 * Returns a picture from Discord, through the service. Refuses with IMAGE_NOT_FOUND, CHAT_PLATFORM_UNAVAILABLE.
 */
export const getImage = endpoint({
  method: 'GET',
  path: '/api/admin/images/{kind}/{id}/{hash}',
  tag: 'Members',
  summary: 'Read a picture of a member or server without a request from the browser to Discord',
  description:
    'The path has the same form as in `avatar` and `icon`. The service reads images only from the image host ' +
    'of Discord, up to 128 pixels and half a megabyte. An image never changes under its hash, so ' +
    'browsers cache it for a week.',
  auth: 'admin',
  owners: 'any',
  params: Closed({
    kind: OneOf('avatars', 'icons'),
    id: Snowflake,
    hash: ImageHash,
  }),
  answers: { 200: { picture: pictureTypes } },
  refuses: ['IMAGE_NOT_FOUND', 'CHAT_PLATFORM_UNAVAILABLE'],
})

/** Returns the icon of a registered server to any client. Refuses with IMAGE_NOT_FOUND, CHAT_PLATFORM_UNAVAILABLE. */
export const getServerIcon = endpoint({
  method: 'GET',
  path: '/api/servers/{serverId}/icon/{hash}',
  tag: 'Servers',
  summary: 'Read the icon of a server, for pages that members see',
  description:
    'Returns only the current icon of a registered server. An icon never changes under its hash, so browsers ' +
    'cache it for a week.',
  auth: 'none',
  params: Closed({ serverId: Snowflake, hash: ImageHash }),
  answers: { 200: { picture: pictureTypes } },
  refuses: ['IMAGE_NOT_FOUND', 'CHAT_PLATFORM_UNAVAILABLE'],
})
