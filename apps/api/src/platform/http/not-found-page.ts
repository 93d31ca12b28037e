import { renderPage } from './page.ts'
import type { Reader } from './reader.ts'

/** Renders the page at an address that does not exist. Programs receive the same as a problem. */
export const notFoundPage = (requestId: string, reader: Reader) =>
  renderPage(reader, {
    title: reader.say('notFoundTitle'),
    paragraphs: [reader.say('notFound')],
    link: { href: '/', text: reader.say('notFoundLink') },
    requestId,
  })
