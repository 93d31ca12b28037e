import { openApi } from '@rolecall/contract'
import { redirect } from '#platform/http/answer'
import { createPublicDocument } from '#platform/http/public-document'
import type { Router } from '#platform/http/router'
import { version } from '#platform/version'
import type { Callers } from '../../callers/callers.ts'
import type { Config } from '../../config.ts'
import { apiPage } from './api-page.ts'
import { errorsPage } from './errors-page.ts'
import { docsPolicy } from './layout.ts'
import type { SiteFile } from './site-files.ts'
import { siteRoutes } from './site-routes.ts'

/**
 * Registers the documentation: the OpenAPI document, the pages for the API and the error codes, and the site under
 * `/docs/`. Nothing is loaded from other origins.
 */
export function docsRoutes(
  router: Pick<Router<Callers>, 'page'>,
  { publicUrl, console: hasConsole }: Pick<Config, 'publicUrl' | 'console'>,
  site: ReadonlyMap<string, SiteFile>,
) {
  const { page } = router
  const serve = (path: string, own: Record<string, string>, make: () => string) => {
    // The document stays the same until the next release. Browsers cache it, and check each time whether it has
    // changed.
    const document = createPublicDocument({ ...own, 'cache-control': 'no-cache' }, make)
    page(path, {}, ({ headers }) => document(headers))
  }
  const html = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': docsPolicy }
  const json = { 'content-type': 'application/json; charset=utf-8' }

  serve('/api/openapi.json', json, () => JSON.stringify(openApi(publicUrl, version)))
  serve('/api/docs', html, () => apiPage(publicUrl, version))
  serve('/api/docs/errors', html, errorsPage)
  siteRoutes(router, site)
  page('/', {}, () => redirect(hasConsole ? '/console/' : '/api/docs'))
}
