import { type Call, header } from '../http/call.ts'
import type { Platform } from '../platform.ts'
import type { SimUser } from '../world/model.ts'
import { findUser } from '../world/state.ts'

/** The name of the cookie. All ports of a host share cookies, so it must not collide with those of other programs. */
const name = 'chat_sim_user'

/** Returns the user that the browser's cookie names. Undefined if no user is signed in. */
export function signedInUser(platform: Platform, call: Call): SimUser | undefined {
  const id = new RegExp(`(?:^|; )${name}=(\\d+)`).exec(header(call, 'cookie'))?.[1]
  const user = id === undefined ? undefined : findUser(platform.world, id)
  return user?.bot ? undefined : user
}

export const signInCookie = (userId: string) => `${name}=${userId}; Path=/; HttpOnly; SameSite=Lax`
export const signOutCookie = `${name}=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0`
