import type { sessions } from '@rolecall/contract'
import type { ChatMember, ChatServerInfo } from '#chat/chat-platform'
import { mirrorMember } from '#mirror/mirror-member'
import type { AsOf } from '#mirror/write-members'
import { writeServer } from '#mirror/write-servers'
import { digestOf } from '#platform/crypto/tokens'
import { rehearse } from '#platform/db/rehearse'
import { ApiError } from '#platform/http/api-error'
import { readFacts } from '#session-memory/facts-store'
import { type Read, readAlone } from '#session-memory/memory'
import type { Deps } from '../../deps.ts'
import type { Decisions } from './decisions.ts'

interface Login {
  readonly projectId: string
  readonly serverId: string
  readonly memberId: string
  readonly redirectUri: string
  /** The membership to be mirrored first, and as of when; undefined where the mirror has it. */
  readonly membership: { readonly member: ChatMember; readonly asOf: AsOf } | undefined
  /** Read where the mirror does not know a role that the member holds. */
  readonly server: { readonly info: ChatServerInfo; readonly asOf: AsOf } | undefined
}

/** How far a login came. */
export interface Rehearsed {
  readonly code: string | undefined
  readonly redeemed?: sessions.TokenResponse | undefined
  /** What validate would read of the session. */
  readonly read?: Read | undefined
}

/**
 * Logs a member in by the statements of a login, from the answer of the platform to the first validate, and takes all of it
 * back. What these statements ask for themselves is so part of the explanation without being said twice.
 */
export const rehearseLogin = (
  { db, config, decisions }: Pick<Deps, 'db' | 'config'> & { readonly decisions: Decisions },
  { projectId, serverId, memberId, redirectUri, membership, server }: Login,
): Promise<Rehearsed> =>
  rehearse(db, async (rehearsal) => {
    // The end of the audit log is not locked for entries that are taken back.
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
    const [read] = readAlone(items, await readFacts(rehearsal, items, [], config.chatGuildId))
    return { code, redeemed, read }
  })

function refused(error: unknown): undefined {
  if (!(error instanceof ApiError)) throw error
}
