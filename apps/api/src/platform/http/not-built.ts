import { Answer } from './answer.ts'
import { renderPage } from './page.ts'
import { inLanguage } from './reader.ts'

/**
 * Returns the response for pages that were not built: 404, with a page that names the command to build them. It is in
 * English, like those pages.
 */
export function notBuilt(texts: Parameters<typeof renderPage>[1]): () => Answer {
  const { body, headers } = renderPage(inLanguage('en'), texts)
  return () => new Answer(404, body, { ...headers, 'cache-control': 'no-store' })
}
