import { page } from './page.ts'

/** What a person sees at an address where nothing is; programs get the same as a problem. */
export const notFoundPage = (requestId: string): string =>
  page({
    title: 'There is nothing here',
    paragraphs: ['Check the address: a letter may be missing. Or the page has moved or was never there.'],
    link: { href: '/', text: 'To the start of Rolecall' },
    notes: [`Request ${requestId}`],
  })
