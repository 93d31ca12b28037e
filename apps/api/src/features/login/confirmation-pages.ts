import { login } from '@rolecall/contract'
import { Answer } from '#platform/http/answer'
import { type RenderedPage, renderPage } from '#platform/http/page'
import { inLanguage } from '#platform/http/reader'
import type { WaitingLogin } from './confirmation-store.ts'

/** Administration is in English, like the console. */
const reader = inLanguage('en')

const shown = ({ body, headers }: RenderedPage) => new Answer(200, body, headers)

/** Returns every text of the pages that sign in a command line. */
const texts = (who: string, service: string, codeTtlSec: number) => ({
  ask: {
    title: 'Sign in the Rolecall command line?',
    paragraphs: [
      `A command line asks to sign in to the administration of ${service} as ${who}. It can then do everything that this account can do here.`,
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
      `Paste this code, with the address of this service (${service}), into the terminal where you ran \`rolecall login --paste\`. You can use it once, for ${codeTtlSec} seconds.`,
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

/** Asks whether the command line may sign in, and names the account and the service. */
export function askPage(
  { name, username, redirectUri }: WaitingLogin,
  { request, issuer }: { readonly request: string; readonly issuer: string },
): Answer {
  const { ask } = texts(name === username ? username : `${name} (${username})`, issuer, 0)
  const form = (answer: 'confirm' | 'cancel', text: string) => ({
    action: addressFor(request, answer),
    hidden: {},
    buttons: [{ name: 'answer', value: answer, text }],
  })
  const content = {
    title: ask.title,
    paragraphs: ask.paragraphs,
    form: form('confirm', ask.confirm),
    sections: [
      { heading: ask.cancelHeading, paragraphs: [ask.cancelAdvice], form: form('cancel', ask.cancel) },
    ],
  }
  return shown(renderPage(reader, content, formTargets(redirectUri)))
}

/** Shows the code that a person copies to a terminal, in one text with its issuer: a command line that signs in elsewhere refuses it. */
export function codePage(code: string, issuer: string, ttlSec: number): Answer {
  return shown(renderPage(reader, { ...texts('', issuer, ttlSec).code, code: `${code}@${issuer}` }))
}

/** Confirms that nothing was issued. */
export function canceledPage(): Answer {
  return shown(renderPage(reader, texts('', '', 0).canceled))
}
