import { Answer } from './answer.ts'
import { renderPage } from './page.ts'
import { inLanguage } from './reader.ts'

/**
 * Returns the response in place of pages that were not built: 404, with a page that names the command. It is in English,
 * as the pages that it stands for are.
 */
export function notBuilt(texts: Parameters<typeof renderPage>[1]): () => Answer {
  const { body, headers } = renderPage(inLanguage('en'), texts)
  return () => new Answer(404, body, { ...headers, 'cache-control': 'no-store' })
}
