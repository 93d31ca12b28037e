import type { Database, Queryable } from './database.ts'
import type { Sql } from './sql.ts'

/**
 * The same database, which calls `written` after every statement or transaction that may have changed something, also
 * after one whose outcome is unknown. Statements say it by their words; transactions count always.
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
/** Texts with spliced conditions vary without bound: past so many each is searched anew. */
const maxKnown = 1_000

/** True when the words of a statement say that it may change something. */
export function mayWrite({ text }: Sql): boolean {
  const before = known.get(text)
  if (before !== undefined) return before
  const found = /\b(insert|update|delete|merge|call|do|truncate)\b/i.test(text)
  if (known.size < maxKnown) known.set(text, found)
  return found
}
