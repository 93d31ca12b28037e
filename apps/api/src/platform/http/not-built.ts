import { Answer } from './answer.ts'
import { renderPage } from './page.ts'
import { inLanguage } from './reader.ts'

/**
 * Creates the response for pages that were not built: 404, with a page that tells how to build them. It is in English,
 * like the pages that it replaces.
 */
export function notBuilt(texts: Parameters<typeof renderPage>[1]): () => Answer {
  const { body, headers } = renderPage(inLanguage('en'), texts)
  return () => new Answer(404, body, { ...headers, 'cache-control': 'no-store' })
}
