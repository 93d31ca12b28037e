import Provider, { type Client } from 'oidc-provider'
import { changeBatcher } from '#platform/db/batcher'
import type { Deps } from '../../deps.ts'
import type { ClientSessions } from './client-sessions.ts'
import { type NewToken, type Redemption, redeemRecords } from './redemptions-store.ts'
import { orProtocolError } from './unavailable.ts'

/** The kinds of tokens that a redemption stores. */
type IssuedKind = 'AccessToken' | 'RefreshToken'

/** A started redemption: a code or refresh token for which the library is creating the new tokens. */
interface Begun {
  readonly digest: string
  /** Throws the error for a code or refresh token that was used before. */
  readonly refuse: () => Promise<never>
  readonly tokens: Partial<Record<IssuedKind, NewToken>>
}

/**
 * Redeems codes and refresh tokens, and stores their new tokens, in one statement. The library has no such operation:
 * it first consumes the code, and then stores each token. So here `begin` only starts a redemption when the library
 * consumes the code, and `add` completes it with the last token. A request that fails in between has not used its code.
 * Simultaneous redemptions share a statement.
 */
export interface Redemptions {
  /** Redeems a code or refresh token. Returns false if it was used before, or if its session has ended. */
  redeem(redemption: Redemption): Promise<boolean>
  /** Starts the redemption of the current request. */
  begin(redeemed: Pick<Begun, 'digest' | 'refuse'>): void
  /**
   * Adds a new token to the redemption of the current request, and completes the redemption with the second one.
   * Returns undefined if the request has started no redemption.
   */
  add(kind: IssuedKind, token: NewToken): Promise<void> | undefined
  /**
   * Returns true if the client gets a refresh token, by the library's default rule. If it gets none, completes the
   * redemption of the current request, because the access token was its last token.
   */
  issueRefreshToken(client: Client, scopes: ReadonlySet<string>): Promise<boolean>
}

/** Creates the redemptions of this process. The library's context of a request identifies its redemption. */
export function createRedemptions({
  db,
  config,
  sessions,
}: Pick<Deps, 'db' | 'config'> & { readonly sessions: ClientSessions }): Redemptions {
  const extendSessions = sessions.extendSteps(config.sessionTtlSec)
  const redeem = changeBatcher<Redemption, boolean>({
    changeMany: (items) => redeemRecords(db.batched, items, { extendSessions, ifLocked: 'skip' }),
    changeOne: async (item) => {
      const terms = { extendSessions, ifLocked: 'wait' } as const
      const [isRedeemed] = await db.transaction((tx) => redeemRecords(tx.query, [item], terms))
      return isRedeemed === true
    },
  })
  /** The started redemptions, by the library's context of their requests. */
  const begun = new WeakMap<object, Begun>()
  const begunNow = () => Provider.ctx && begun.get(Provider.ctx)

  const complete = async ({ digest, refuse, tokens }: Begun): Promise<void> => {
    const { AccessToken: accessToken, RefreshToken: refreshToken } = tokens
    if (!accessToken) throw new Error('A redemption ended without an access token.')
    if (!(await redeem({ digest, accessToken, refreshToken }))) await refuse()
  }

  return {
    redeem,
    begin(redeemed) {
      if (!Provider.ctx) throw new Error('A redemption began outside of a request.')
      begun.set(Provider.ctx, { ...redeemed, tokens: {} })
    },
    add(kind, token) {
      const redemption = begunNow()
      if (!redemption) return undefined
      const { tokens } = redemption
      tokens[kind] = token
      return tokens.AccessToken && tokens.RefreshToken ? complete(redemption) : Promise.resolve()
    },
    async issueRefreshToken(client, scopes) {
      const isIssued = client.grantTypeAllowed('refresh_token') && scopes.has('offline_access')
      const redemption = begunNow()
      if (!isIssued && redemption) await orProtocolError(complete(redemption))
      return isIssued
    },
  }
}
