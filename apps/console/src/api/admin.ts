import {
  type AdminAnswer,
  type AdminInput,
  type AdminQuestion,
  createAdmin,
  RolecallError,
} from '@rolecall/sdk/admin'
import { cleanNames } from './clean-names.ts'
import { note } from './connection.ts'
import { pairSettled } from './keep-session.ts'

/**
 * The administration API of the service that serves this page. The browser's session cookie authenticates each call.
 */
export const admin = createAdmin({ baseUrl: '', timeoutMs: 20_000 })

/**
 * Calls an endpoint and records whether the service can be reached. A call that is rejected with `INVALID_TOKEN` is
 * retried once, because another tab may have replaced the session pair while the request was in flight. A rejected call
 * has not run, so the retry is safe.
 */
export async function ask<Name extends AdminQuestion>(
  name: Name,
  input: AdminInput<Name>,
  signal?: AbortSignal,
): Promise<AdminAnswer<Name>> {
  // The input is always set here. The client accepts it whether or not the endpoint allows it to be left out.
  const attempt = () => (admin.ask as AskWith)(name, input, signal ? { signal } : {})
  try {
    const answer = await attempt().catch(async (error: unknown) => {
      if (!(error instanceof RolecallError) || error.code !== 'INVALID_TOKEN') throw error
      await pairSettled()
      return attempt()
    })
    note(undefined, name)
    return cleanNames(answer as AdminAnswer<Name>)
  } catch (error) {
    if (error instanceof RolecallError) note(error)
    throw isLost(error) ? lost(error.code, 'Check your connection, and try again.') : error
  }
}

/**
 * Calls an endpoint that changes something. If the response is lost, the message says that the change may have been
 * made.
 */
export const askToChange: typeof ask = (name, input) =>
  ask(name, input).catch((error: unknown) => {
    throw isLost(error)
      ? lost(
          error.code,
          'The change may have been made anyway. Reload the page, and check before you try again.',
        )
      : error
  })

type Lost = RolecallError & { readonly code: 'NETWORK_ERROR' | 'TIMEOUT' }

const isLost = (error: unknown): error is Lost =>
  error instanceof RolecallError && (error.code === 'NETWORK_ERROR' || error.code === 'TIMEOUT')

const lost = (code: Lost['code'], mend: string) =>
  new RolecallError(code, `No response from Rolecall. ${mend}`)

type AskWith = (name: AdminQuestion, input: object, options: { signal?: AbortSignal }) => Promise<unknown>
