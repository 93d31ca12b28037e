import Provider, { type Client } from 'oidc-provider'
import { changeBatcher } from '#platform/db/batcher'
import type { Deps } from '../../deps.ts'
import type { ClientSessions } from './client-sessions.ts'
import { type NewToken, type Redemption, redeemRecords } from './redemptions-store.ts'
import { orProtocolError } from './unavailable.ts'

/** The kinds of tokens that a redemption stores. */
type IssuedKind = 'AccessToken' | 'RefreshToken'

/** A code or refresh token that the current request redeems, while the library creates the tokens for it. */
interface Begun {
  readonly digest: string
  /** Throws the refusal of a code or refresh token that was used before. */
  readonly refuse: () => Promise<never>
  readonly tokens: Partial<Record<IssuedKind, NewToken>>
}

/**
 * Redeems codes and refresh tokens together with the storage of their tokens. The library consumes a code first, and
 * then stores each token. Here, consuming only starts the redemption, and the last token completes it. So a redemption
 * is one statement, which other waiting redemptions share, and a request that fails in between has not used its code.
 */
export interface Redemptions {
  /** Redeems a code or refresh token. Returns false if it was used before, or its session is over. */
  redeem(redemption: Redemption): Promise<boolean>
  /** Starts the redemption of the current request. */
  begin(redeemed: Pick<Begun, 'digest' | 'refuse'>): void
  /** Adds a token, and completes the redemption with the second one. Returns undefined if no redemption has started. */
  add(kind: IssuedKind, token: NewToken): Promise<void> | undefined
  /** Decides as the library does by default whether a code yields a refresh token. Without one, the access token is the last. */
  issueRefreshToken(client: Client, scopes: ReadonlySet<string>): Promise<boolean>
}

export function createRedemptions({
  db,
  config,
  sessions,
}: Pick<Deps, 'db' | 'config'> & { readonly sessions: ClientSessions }): Redemptions {
  const extendSessions = sessions.extendSteps(config.sessionTtlSec)
  const redeem = changeBatcher<Redemption, boolean>({
    changeMany: (items) => redeemRecords(db.batched, items, { extendSessions, ifHeld: 'skip' }),
    changeOne: async (item) => {
      const terms = { extendSessions, ifHeld: 'wait' } as const
      const [isRedeemed] = await db.transaction((tx) => redeemRecords(tx.query, [item], terms))
      return isRedeemed === true
    },
  })
  /** By the context of their requests. */
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
