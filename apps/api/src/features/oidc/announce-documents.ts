import type Provider from 'oidc-provider'
import type { Deps } from '../../deps.ts'
import { isHostListed } from './clients-store.ts'

type Middleware = Parameters<typeof Provider.prototype.use>[0]

const paths: ReadonlySet<string> = new Set([
  '/.well-known/openid-configuration',
  '/.well-known/oauth-authorization-server',
])

/**
 * Announces client ID metadata documents in the discovery document while a project accepts some. A client that finds
 * the announcement does not ask its user for a client ID.
 */
export const announceDocuments =
  ({ db }: Pick<Deps, 'db'>): Middleware =>
  async (ctx, next) => {
    await next()
    if (!paths.has(ctx.path) || ctx.status !== 200) return
    // Discovery is answered during an outage, too.
    const isAnnounced = await isHostListed(db).catch(() => false)
    if (isAnnounced) ctx.body = { ...Object(ctx.body), client_id_metadata_document_supported: true }
  }
