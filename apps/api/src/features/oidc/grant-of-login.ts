import type Provider from 'oidc-provider'
import type { Grant, KoaContextWithOIDC } from 'oidc-provider'
import { uuidv7 } from '#platform/crypto/uuid'
import type { Deps } from '../../deps.ts'
import { findConsent } from './consents-store.ts'
import { findRequestedConsent, isCovered, needsConsent } from './requested-consent.ts'
import { siteOf } from './sites.ts'
import { orProtocolError } from './unavailable.ts'

/**
 * Creates the library's function that returns the grant of a sign-in. It creates a new grant for each sign-in, whose ID
 * becomes the ID of the session. So two sign-ins of one browser are two sessions, which end separately. The function
 * returns undefined if the member has to consent first.
 */
export const createLoadGrant =
  (deps: Pick<Deps, 'db' | 'config'>) =>
  async (ctx: KoaContextWithOIDC): Promise<Grant | undefined> => {
    const { client, session, params, requestParamOIDCScopes: scopes, resourceServers = {} } = ctx.oidc
    if (!client || !session?.accountId) return undefined
    // The library has found the requested resource. There is at most one.
    const [resource] = Object.keys(resourceServers)
    const redirectUri = params?.['redirect_uri']
    const requested = await findRequestedConsent(deps, client, { scopes, resource, redirectUri })
    if (needsConsent(requested)) {
      const { projectId, clientId } = await siteOf(deps, client, resource)
      const consent = { projectId, memberId: session.accountId, clientId }
      if (!isCovered(await orProtocolError(findConsent(deps.db, consent)), requested)) return undefined
    }
    const provider: Provider = ctx.oidc.provider
    const grant = new provider.Grant({ accountId: session.accountId, clientId: client.clientId })
    grant.jti = uuidv7()
    if (scopes.size > 0) grant.addOIDCScope([...scopes].join(' '))
    session.ensureClientContainer(client.clientId)
    session.sidFor(client.clientId, grant.jti)
    return grant
  }
