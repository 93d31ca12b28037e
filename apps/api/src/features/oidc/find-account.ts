import type { Account, FindAccount, KoaContextWithOIDC } from 'oidc-provider'
import { claimsOf } from '#responses/oidc-claims'
import { detailsOf } from './client-metadata.ts'
import { type LiveMember, memberOfToken } from './token-session.ts'
import { orProtocolError } from './unavailable.ts'

/**
 * Creates the library's function that finds the account of a token. The claims are as fresh as the response of
 * `validate`. The function returns undefined if the session has ended. Without a token, the account belongs to a
 * sign-in in progress, for which only the ID is needed.
 */
export const createFindAccount =
  (deps: Parameters<typeof memberOfToken>[0]): FindAccount =>
  async (ctx, sub, token): Promise<Account | undefined> => {
    if (!token) return { accountId: sub, claims: () => ({ sub }) }
    const sessionId = 'grantId' in token && typeof token.grantId === 'string' ? token.grantId : ''
    const member = await orProtocolError(memberOfToken(deps, sessionId))
    if (member?.session.memberId !== sub) return undefined
    return accountOf(ctx, member)
  }

const accountOf = ({ oidc }: KoaContextWithOIDC, member: LiveMember): Account => ({
  accountId: member.session.memberId,
  claims: (use) => {
    const isInIdToken = oidc.client !== undefined && detailsOf(oidc.client).rolesInIdToken
    return claimsOf(member, { withRoles: use !== 'id_token' || isInIdToken })
  },
})
