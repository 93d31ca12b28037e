import type { sessions } from '@rolecall/contract'
import type { ChatMember, ChatServerInfo } from '#chat/chat-platform'
import { mirrorMember } from '#mirror/mirror-member'
import type { AsOf } from '#mirror/write-members'
import { writeServer } from '#mirror/write-servers'
import { digestOf } from '#platform/crypto/tokens'
import { rehearse } from '#platform/db/rehearse'
import { ApiError } from '#platform/http/api-error'
import { type Read, readUncached } from '#session-memory/facts-of-rows'
import { readFacts } from '#session-memory/facts-store'
import type { Deps } from '../../deps.ts'
import type { Decisions } from './decisions.ts'

/** The sign-in to rehearse. */
interface Login {
  readonly projectId: string
  readonly serverId: string
  readonly memberId: string
  readonly redirectUri: string
  /** The membership to write to the mirror first, and when it was read. Undefined if the mirror contains it already. */
  readonly membership: { readonly member: ChatMember; readonly asOf: AsOf } | undefined
  /** The server to write to the mirror first. Undefined unless the mirror lacks a role of the member. */
  readonly server: { readonly info: ChatServerInfo; readonly asOf: AsOf } | undefined
}

/** The outcome of a rehearsed sign-in. */
export interface Rehearsed {
  /** Undefined if no code was issued. */
  readonly code: string | undefined
  /** The response of the exchange. Undefined if the code was not redeemed. */
  readonly redeemed?: sessions.TokenResponse | undefined
  /** The facts that `validate` would read about the session. */
  readonly read?: Read | undefined
}

/**
 * Runs the statements of a sign-in, from Discord's response to the first `validate`, and rolls them back. So the
 * conditions in these statements are part of the explanation, and need not be written a second time.
 */
export const rehearseLogin = (
  { db, config, decisions }: Pick<Deps, 'db' | 'config'> & { readonly decisions: Decisions },
  { projectId, serverId, memberId, redirectUri, membership, server }: Login,
): Promise<Rehearsed> =>
  rehearse(db, async (rehearsal) => {
    // Audit entries are not written. They would be rolled back, and until then would lock the end of the audit log.
    const audit: Deps['audit'] = { record: async () => {} }
    const deps = { db: rehearsal, config, audit, endSessions: { ofMembers: async () => [] } }
    if (server) await rehearsal.transaction((tx) => writeServer(tx, server.info, server.asOf))
    if (membership) await mirrorMember(deps, serverId, { id: memberId }, membership.member, membership.asOf)
    const browser = { ip: null, userAgent: null }
    const code = await rehearsal.transaction((tx) =>
      decisions.issueCode(tx, {
        projectId,
        memberId,
        serverId,
        redirectUri,
        codeChallenge: null,
        ...browser,
      }),
    )
    if (code === undefined) return { code }
    const caller = { projectId, keyDigest: '', bucket: '' }
    const request = { clientId: projectId, code, redirectUri, forwarded: browser }
    const redeemed = await decisions.exchange(deps, caller, request).catch(refused)
    if (!redeemed) return { code }
    const items = [{ keyDigest: '', tokenDigest: digestOf(redeemed.token) }]
    const [read] = readUncached(items, await readFacts(rehearsal, items, [], config.chatGuildId))
    return { code, redeemed, read }
  })

/** Returns undefined for an error of the API. Rethrows any other error. */
function refused(error: unknown): undefined {
  if (!(error instanceof ApiError)) throw error
}
