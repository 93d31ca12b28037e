import type { Queryable } from '#platform/db/database'
import type { Brand } from '#platform/http/brand'
import { findBrand } from './brand-store.ts'
import { iconHash } from './icon-hash.ts'

interface Belongs {
  readonly projectId?: string | undefined
  readonly serverId?: string | undefined
}

/** Returns what a page shows of its project and server: names, images, and color. All images come from this service. */
export async function brandOf(db: Queryable, of: Belongs): Promise<Brand> {
  const row = await findBrand(db, of.projectId, of.serverId)
  if (!row) return { accentColor: null }
  const { serverName, projectName, icon, logo, accentColor } = row
  const hash = of.serverId === undefined ? undefined : iconHash(of.serverId, icon)
  const iconAddress = hash === undefined ? undefined : `/api/servers/${of.serverId}/icon/${hash}`
  const logoAddress = logo === null ? undefined : `/api/projects/${of.projectId}/logo?v=${logo}`
  return {
    server: serverName === null ? undefined : { name: serverName, image: iconAddress },
    site: projectName === null ? undefined : { name: projectName, image: logoAddress },
    accentColor,
  }
}

/** Leaves out the images, for a page on a protected host: addresses of this service do not work there. */
export const withoutImages = ({ server, site, accentColor }: Brand): Brand => ({
  server: server && { name: server.name },
  site: site && { name: site.name },
  accentColor,
})
