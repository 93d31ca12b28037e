import { randomBytes } from 'node:crypto'
import type { Pair } from '@rolecall/sdk'
import type { Answer } from './recorder.ts'

/** The state of one signed-in browser. */
export interface Visitor {
  /** Tokens stay here: the browser gets only a cookie without a meaning elsewhere. */
  pair: Pair
  /** The last response of the service, for the developer who studies this site. */
  answer?: Answer
}

/** Keeps the signed-in browsers, by the value of their cookie. In memory: a real site would use its database. */
export function createVisitors() {
  const visitors = new Map<string, Visitor>()
  return {
    /** Creates a new ID at each sign-in, so that it cannot be planted beforehand (session fixation). */
    add(visitor: Visitor): string {
      const id = randomBytes(32).toString('base64url')
      visitors.set(id, visitor)
      return id
    },
    find: (id: string | undefined) => (id === undefined ? undefined : visitors.get(id)),
    remove: (id: string | undefined) => id !== undefined && visitors.delete(id),
  }
}
