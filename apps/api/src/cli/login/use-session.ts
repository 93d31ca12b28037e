import { login, profile } from '@rolecall/contract'
import { StartRefused } from '../../process/start-refused.ts'
import { readAddress, refusedBy, requestService } from './ask-service.ts'
import { deleteSession, findKeptSession } from './session-file.ts'

/**
 * Prints the session token, for programs that call the API. First checks at the service that the session is still
 * valid.
 */
export async function tokenCommand(given: string | undefined): Promise<void> {
  const address = readAddress(given)
  const token = keptToken(address)
  const answer = await requestService(address, 'GET', profile.getProfile.path, { token })
  if (answer.status === 401) {
    deleteSession(address)
    throw new StartRefused(`Your session at ${address} has ended: run \`rolecall login\` to sign in again.`)
  }
  if (answer.status !== 200) throw refusedBy(address, answer)
  console.log(token)
}

/** Ends the session at the service, and removes it from this machine. */
export async function logoutCommand(given: string | undefined): Promise<void> {
  const address = readAddress(given)
  const answer = await requestService(address, 'POST', login.adminLogout.path, { token: keptToken(address) })
  // With 401, the session had already ended, and only needs to be removed here.
  if (answer.status !== 200 && answer.status !== 401) throw refusedBy(address, answer)
  deleteSession(address)
  console.log(`Signed out of ${address}.`)
}

function keptToken(address: string): string {
  const kept = findKeptSession(address)
  if (kept) return kept.token
  throw new StartRefused(`You are not signed in to ${address}: run \`rolecall login\` first.`)
}
