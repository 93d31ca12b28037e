import type Provider from 'oidc-provider'
import type { Deps } from '../../deps.ts'
import { isHostListed } from './clients-store.ts'

type Middleware = Parameters<typeof Provider.prototype.use>[0]

const paths: ReadonlySet<string> = new Set([
  '/.well-known/openid-configuration',
  '/.well-known/oauth-authorization-server',
])

/**
 * Adds `client_id_metadata_document_supported` to the discovery document while at least one project accepts such
 * documents. A client that finds this announcement does not ask its user for a client ID.
 */
export const announceDocuments =
  ({ db }: Pick<Deps, 'db'>): Middleware =>
  async (ctx, next) => {
    await next()
    if (!paths.has(ctx.path) || ctx.status !== 200) return
    // During an outage of the database, the discovery document is returned without the announcement.
    const isAnnounced = await isHostListed(db).catch(() => false)
    if (isAnnounced) ctx.body = { ...Object(ctx.body), client_id_metadata_document_supported: true }
  }
