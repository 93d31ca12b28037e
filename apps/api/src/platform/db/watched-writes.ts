import type { Database, Queryable } from './database.ts'
import type { Sql } from './sql.ts'

/**
 * Wraps a database so that `written` is called after every statement or transaction that may have changed something,
 * even if its outcome is unknown. A transaction always counts. For single statements, `mayWrite` decides.
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

const writesByText = new Map<string, boolean>()
/** The maximum number of cached decisions: statements with inserted conditions have an unlimited number of texts. */
const maxTexts = 1_000

/** Returns true if the text of a statement contains a word that can change something. */
export function mayWrite({ text }: Sql): boolean {
  const cached = writesByText.get(text)
  if (cached !== undefined) return cached
  const found = /\b(insert|update|delete|merge|call|do|truncate)\b/i.test(text)
  if (writesByText.size < maxTexts) writesByText.set(text, found)
  return found
}
