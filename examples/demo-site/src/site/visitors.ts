import { randomBytes } from 'node:crypto'
import type { Pair } from '@rolecall/sdk'
import type { Answer } from './recorder.ts'

/** The state of one signed-in browser. */
export interface Visitor {
  /** The tokens of the session. They stay on the server, and the browser only gets a random ID as its cookie. */
  pair: Pair
  /** The last response of the service, for the developer who studies this site. */
  answer?: Answer
}

/** Stores the signed-in browsers in memory, by the value of their cookie. A real site would use its database. */
export function createVisitors() {
  const visitors = new Map<string, Visitor>()
  return {
    /**
     * Adds a browser. Creates a new ID at each sign-in, so that an attacker cannot plant one before (session fixation).
     */
    add(visitor: Visitor): string {
      const id = randomBytes(32).toString('base64url')
      visitors.set(id, visitor)
      return id
    },
    find: (id: string | undefined) => (id === undefined ? undefined : visitors.get(id)),
    remove: (id: string | undefined) => id !== undefined && visitors.delete(id),
  }
}
