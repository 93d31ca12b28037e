import { randomBytes } from 'node:crypto'
import type { Pair } from '@rolecall/sdk'
import type { Answer } from './recorder.ts'

/** What this site knows of one logged-in browser. */
export interface Visitor {
  /** Tokens stay here: the browser only ever gets a cookie that means nothing elsewhere. */
  pair: Pair
  /** What the service answered last, for the developer who looks at this site. */
  answer?: Answer
}

/** The logged-in browsers, by the value of their cookie. In memory: a real site would use its database. */
export function createVisitors() {
  const visitors = new Map<string, Visitor>()
  return {
    /** A new id at each login, so that nobody can plant one beforehand (session fixation). */
    add(visitor: Visitor): string {
      const id = randomBytes(32).toString('base64url')
      visitors.set(id, visitor)
      return id
    },
    find: (id: string | undefined) => (id === undefined ? undefined : visitors.get(id)),
    remove: (id: string | undefined) => id !== undefined && visitors.delete(id),
  }
}
