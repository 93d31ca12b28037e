import type { SimGuild, SimUser } from '../world/model.ts'
import type { World } from '../world/world.ts'
import { type Html, html } from './html.ts'

/**
 * Returns the address of a person's picture. Without a picture of their own, it is one of the default pictures, which
 * clients of the platform choose by the ID, or by the number after an old username.
 */
const avatarUrl = ({ id, avatar, discriminator }: SimUser): string => {
  if (avatar !== null) return `/cdn/avatars/${id}/${avatar}.png?size=128`
  const index = discriminator === '0' ? Number((BigInt(id) >> 22n) % 6n) : Number(discriminator) % 5
  return `/cdn/embed/avatars/${index}.png`
}

/** Returns the display name of a user, or else their username. */
export const displayName = (user: SimUser): string => user.global_name ?? user.username

export const picture = (user: SimUser, size: number): Html =>
  html`<img class="avatar" src="${avatarUrl(user)}" alt="" width="${size}" height="${size}" loading="lazy">`

/** Returns labels for the traits of a person that can affect a sign-in, e.g. that they are banned. */
export function badges(world: World, user: SimUser): Html[] {
  const guilds = [...world.guilds.values()]
  const marks = guilds.flatMap((guild) => guildBadges(guild, user))
  if (!guilds.some((guild) => guild.members.get(user.id))) marks.push(badge('in no server', 'warn'))
  if (user.bot) marks.push(badge('bot', 'warn'))
  else if (user.email === null) marks.push(badge('no email', 'warn'))
  else if (!user.verified) marks.push(badge('email not verified', 'warn'))
  return marks
}

function guildBadges(guild: SimGuild, user: SimUser): Html[] {
  if (guild.bans.has(user.id)) return [badge(`banned from ${guild.name}`, 'bad')]
  const member = guild.members.get(user.id)
  if (!member) return []
  const names = member.roles.flatMap((id) => guild.roles.get(id)?.name ?? [])
  const here = badge(names.length > 0 ? `${guild.name}: ${names.join(', ')}` : guild.name, 'plain')
  return member.pending ? [here, badge('pending', 'warn')] : [here]
}

const badge = (text: string, kind: 'plain' | 'warn' | 'bad') =>
  html`<span class="badge ${kind}"><bdi>${text}</bdi></span>`
