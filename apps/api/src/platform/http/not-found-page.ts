import { renderPage } from './page.ts'
import type { Reader } from './reader.ts'

/** Renders the page for an address that does not exist. Programs receive a JSON error (`NOT_FOUND`) instead. */
export const notFoundPage = (requestId: string, reader: Reader) =>
  renderPage(reader, {
    title: reader.say('notFoundTitle'),
    paragraphs: [reader.say('notFound')],
    link: { href: '/', text: reader.say('notFoundLink') },
    requestId,
  })
