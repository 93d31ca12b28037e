import { type Call, param } from '../http/call.ts'
import { invalidForm, missingAccess, unavailable, unknownGuild, unknownUser } from '../http/platform-error.ts'
import type { Platform } from '../platform.ts'
import type { SimGuild, SimUser } from '../world/model.ts'
import { isSnowflake } from '../world/snowflake.ts'
import { findUser, hasBot } from '../world/state.ts'

/** Returns an ID from the path. Throws the platform's error 50035 if it is not a number. */
export function idParam(call: Call, name: string): string {
  const id = param(call, name)
  if (!isSnowflake(id))
    throw invalidForm(`${name}_id`, 'NUMBER_TYPE_COERCE', `Value "${id}" is not snowflake.`)
  return id
}

/**
 * Returns the guild in the path. If the bot is not in it, throws `outside()`: by default 50001, which is right for
 * routes below a guild. For the guild itself, the platform says that it is unknown.
 */
export function guildParam(platform: Platform, call: Call, outside: () => Error = missingAccess): SimGuild {
  const guild = platform.world.guilds.get(idParam(call, 'guild'))
  if (!guild) throw unknownGuild()
  if (!hasBot(platform.world, guild)) throw outside()
  if (guild.unavailable) throw unavailable()
  return guild
}

/** Returns the user in the path. Throws the platform's error if there is none. */
export function userParam(platform: Platform, call: Call): SimUser {
  const user = findUser(platform.world, idParam(call, 'user'))
  if (!user) throw unknownUser()
  return user
}

/** Returns a whole number from the query. Throws 50035 if it is outside its bounds. */
export function numberQuery(
  call: Call,
  name: string,
  { min, max, fallback }: { min: number; max: number; fallback: number },
): number {
  const text = call.query.get(name)
  if (text === null) return fallback
  if (!/^-?\d+$/.test(text)) throw invalidForm(name, 'NUMBER_TYPE_COERCE', `Value "${text}" is not int.`)
  const value = Number(text)
  if (value > max)
    throw invalidForm(name, 'NUMBER_TYPE_MAX', `int value should be less than or equal to ${max}.`)
  if (value < min)
    throw invalidForm(name, 'NUMBER_TYPE_MIN', `int value should be greater than or equal to ${min}.`)
  return value
}

export function snowflakeQuery(call: Call, name: string): string {
  const id = call.query.get(name) ?? '0'
  if (!isSnowflake(id)) throw invalidForm(name, 'NUMBER_TYPE_COERCE', `Value "${id}" is not snowflake.`)
  return id
}

export const booleanQuery = (call: Call, name: string): boolean =>
  ['true', 'True', '1'].includes(call.query.get(name) ?? '')
