import type Provider from 'oidc-provider'
import type { Grant, KoaContextWithOIDC } from 'oidc-provider'
import { uuidv7 } from '#platform/crypto/uuid'
import type { Deps } from '../../deps.ts'
import { detailsOf } from './client-metadata.ts'
import { findConsent } from './consents-store.ts'
import { orProtocolError } from './unavailable.ts'

/**
 * Each login is a grant of its own, named like the session that comes of it: two logins of one browser are two sessions,
 * and end apart. Undefined while the member has to be asked first.
 */
export const createLoadGrant =
  ({ db }: Pick<Deps, 'db'>) =>
  async (ctx: KoaContextWithOIDC): Promise<Grant | undefined> => {
    const { client, session, requestParamOIDCScopes: scopes } = ctx.oidc
    if (!client || !session?.accountId) return undefined
    const { isInternal } = detailsOf(client)
    const wanted = [...scopes]
    const agreed = isInternal
      ? wanted
      : await orProtocolError(findConsent(db, client.clientId, session.accountId))
    if (!agreed || !wanted.every((scope) => scope === 'openid' || agreed.includes(scope))) return undefined
    const provider: Provider = ctx.oidc.provider
    const grant = new provider.Grant({ accountId: session.accountId, clientId: client.clientId })
    grant.jti = uuidv7()
    if (wanted.length > 0) grant.addOIDCScope(wanted.join(' '))
    session.ensureClientContainer(client.clientId)
    session.sidFor(client.clientId, grant.jti)
    return grant
  }
