import type { Database, Queryable } from './database.ts'
import type { Sql } from './sql.ts'

/**
 * Wraps a database to call `written` after every statement or transaction that may have changed something, also after
 * one with an unknown outcome. Statements are classified by their words; transactions always count.
 */
export function watchWrites(db: Database, written: () => void): Database {
  const after = async <T>(mayWrite: boolean, done: Promise<T>): Promise<T> => {
    try {
      return await done
    } finally {
      if (mayWrite) written()
    }
  }
  const watched = (to: Queryable): Queryable => ({
    query: (statement) => after(mayWrite(statement), to.query(statement)),
    maybeOne: (statement) => after(mayWrite(statement), to.maybeOne(statement)),
    execute: (statement) => after(mayWrite(statement), to.execute(statement)),
  })
  return {
    ...db,
    ...watched(db),
    batched: (statement) => after(mayWrite(statement), db.batched(statement)),
    transaction: (work, options) => after(true, db.transaction(work, options)),
    script: (text) => after(true, db.script(text)),
  }
}

const known = new Map<string, boolean>()
/** The number of texts with spliced conditions is unbounded. Beyond this number, each text is parsed again. */
const maxKnown = 1_000

/** Returns true if a statement may change something, by its words. */
export function mayWrite({ text }: Sql): boolean {
  const before = known.get(text)
  if (before !== undefined) return before
  const found = /\b(insert|update|delete|merge|call|do|truncate)\b/i.test(text)
  if (known.size < maxKnown) known.set(text, found)
  return found
}
