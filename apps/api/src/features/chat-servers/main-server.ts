import { findMainServer } from '#mirror/read-servers'
import { insertFirstServer } from '#mirror/write-servers'
import type { Deps } from '../../deps.ts'

/**
 * Applies the start-up rule of the specification. Without any server record, the main server is created from the
 * configuration. If the stored main server differs from it, a sentence with the problem is returned.
 */
export async function ensureMainServer({ db }: Pick<Deps, 'db'>, configuredId: string | undefined) {
  if (configuredId) await insertFirstServer(db, configuredId)
  const main = await findMainServer(db)
  if (!main || !configuredId || main.id === configuredId) return undefined
  return (
    `CHAT_GUILD_ID is ${configuredId}, but the stored main server is ${main.id}. Correct the variable, ` +
    'or make the other server the main server in the console.'
  )
}
