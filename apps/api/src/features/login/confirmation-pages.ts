import { login } from '@rolecall/contract'
import { Answer } from '#platform/http/answer'
import { headersOfForm, page, pageHeaders } from '#platform/http/page'
import type { WaitingLogin } from './confirmation-store.ts'

/** Returns every text of the pages that sign in a command line. */
const texts = (who: string, codeTtlSec: number) => ({
  ask: {
    title: 'Sign in the Rolecall command line?',
    paragraphs: [
      `A command line asks to sign in to the administration as ${who}. It can then do everything that this account can do here.`,
      'Continue only if you just ran the command `rolecall login` yourself.',
    ],
    confirm: 'Sign in the command line',
    cancelHeading: 'Did you not run that command?',
    cancelAdvice: 'Then cancel. The command line gets nothing.',
    cancel: 'Cancel',
  },
  code: {
    title: 'Your sign-in code',
    paragraphs: [
      `Paste this code into the terminal where you ran \`rolecall login --paste\`. You can use it once, for ${codeTtlSec} seconds.`,
    ],
    notes: ['Never give this code to another person. Support staff never need it.'],
  },
  canceled: {
    title: 'You canceled the sign-in',
    paragraphs: ['The command line got nothing. You can close this window.'],
  },
})

const addressFor = (request: string, answer: 'confirm' | 'cancel') =>
  `${login.answerConfirmation.path}?${new URLSearchParams({ request, answer })}`

/** Browsers hold a form to where its answer redirects. A policy cannot name an IPv6 address, so for one it names the scheme. */
function formTargets(redirectUri: string): string[] {
  if (!redirectUri.startsWith('http:')) return ["'self'"]
  const { origin } = new URL(redirectUri)
  return ["'self'", origin.includes('[') ? 'http:' : origin]
}

/** Asks whether the command line may sign in, and names the account. */
export function askPage({ name, username, redirectUri }: WaitingLogin, request: string): Answer {
  const { ask } = texts(name === username ? username : `${name} (${username})`, 0)
  const form = (answer: 'confirm' | 'cancel', text: string) => ({
    action: addressFor(request, answer),
    hidden: {},
    buttons: [{ name: 'answer', value: answer, text }],
  })
  return new Answer(
    200,
    page({
      title: ask.title,
      paragraphs: ask.paragraphs,
      form: form('confirm', ask.confirm),
      sections: [
        { heading: ask.cancelHeading, paragraphs: [ask.cancelAdvice], form: form('cancel', ask.cancel) },
      ],
      link: undefined,
      notes: [],
    }),
    headersOfForm(formTargets(redirectUri)),
  )
}

/** Shows the code that a person copies to a terminal. */
export function codePage(code: string, ttlSec: number): Answer {
  const { title, paragraphs, notes } = texts('', ttlSec).code
  return new Answer(
    200,
    page({ title, paragraphs: [...paragraphs, code], link: undefined, notes }),
    pageHeaders,
  )
}

/** Confirms that nothing was issued. */
export function canceledPage(): Answer {
  return new Answer(200, page({ ...texts('', 0).canceled, link: undefined, notes: [] }), pageHeaders)
}
