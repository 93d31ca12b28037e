import {
  type AdminAnswer,
  type AdminInput,
  type AdminQuestion,
  createAdmin,
  RolecallError,
} from '@rolecall/sdk/admin'
import { note } from './connection.ts'
import { pairSettled } from './keep-session.ts'

/** The administration of the service whose page this is; the browser's cookie says who asks. */
export const admin = createAdmin({ baseUrl: '', timeoutMs: 20_000 })

/**
 * Asks, and remembers how the way to the service is. A session that is refused is presented once more: its pair may have been
 * replaced while the question was on its way, and what is refused for it has not happened.
 */
export async function ask<Name extends AdminQuestion>(
  name: Name,
  input: AdminInput<Name>,
  signal?: AbortSignal,
): Promise<AdminAnswer<Name>> {
  // The input is always there here; the client takes it whether or not it may be left out.
  const attempt = () => (admin.ask as AskWith)(name, input, signal ? { signal } : {})
  try {
    const answer = await attempt().catch(async (error: unknown) => {
      if (!(error instanceof RolecallError) || error.code !== 'INVALID_TOKEN') throw error
      await pairSettled()
      return attempt()
    })
    note(undefined)
    return answer as AdminAnswer<Name>
  } catch (error) {
    if (error instanceof RolecallError) note(error)
    throw error
  }
}

type AskWith = (name: AdminQuestion, input: object, options: { signal?: AbortSignal }) => Promise<unknown>
