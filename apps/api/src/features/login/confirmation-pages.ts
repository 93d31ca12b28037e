import { login } from '@rolecall/contract'
import { Answer } from '#platform/http/answer'
import { type RenderedPage, renderPage } from '#platform/http/page'
import { inLanguage } from '#platform/http/reader'
import { sourceOf } from '../../pages/form-source.ts'
import { isShown } from './command-line-login.ts'
import type { WaitingLogin } from './confirmation-store.ts'

/** These pages are in English, like the console. */
const reader = inLanguage('en')

const shown = ({ body, headers }: RenderedPage) => new Answer(200, body, headers)

/** Returns the address to which a button of the page submits its form. */
const addressFor = (request: string, answer: 'confirm' | 'cancel') =>
  `${login.answerConfirmation.path}?${new URLSearchParams({ request, answer })}`

/** Builds the page that asks whether a command line may sign in. It names the account and the service. */
export function confirmationPage(
  { name, username, redirectUri }: WaitingLogin,
  { request, issuer }: { readonly request: string; readonly issuer: string },
): Answer {
  const who = name === username ? username : `${name} (${username})`
  const form = (answer: 'confirm' | 'cancel', text: string) => ({
    action: addressFor(request, answer),
    hidden: {},
    buttons: [{ name: 'answer', value: answer, text }],
  })
  const content = {
    title: 'Sign in the Rolecall command line?',
    paragraphs: [
      `A command line asks to sign in to the administration of ${issuer} as ${who}. It can then do everything that this account can do here.`,
      'Continue only if you just ran the command `rolecall login` yourself.',
    ],
    form: form('confirm', 'Sign in the command line'),
    sections: [
      {
        heading: 'Did you not run that command?',
        paragraphs: ['Then cancel. The command line receives no access.'],
        form: form('cancel', 'Cancel'),
      },
    ],
  }
  // The content security policy must also permit the redirect that follows the form.
  const targets = isShown(redirectUri) ? [] : [sourceOf(redirectUri)]
  return shown(renderPage(reader, content, ["'self'", ...targets]))
}

/**
 * Builds the page with the code that a person copies to a terminal. The copied text includes the issuer, so that a
 * command line that signs in to another service rejects it.
 */
export const codePage = (code: string, issuer: string, ttlSec: number): Answer =>
  shown(
    renderPage(reader, {
      title: 'Your sign-in code',
      paragraphs: [
        `Paste this code, with the address of this service (${issuer}), into the terminal where you ran \`rolecall login --paste\`. You can use it once, for ${ttlSec} seconds.`,
      ],
      code: `${code}@${issuer}`,
      notes: ['Never give this code to another person. Support staff never need it.'],
    }),
  )

/** Builds the page that confirms that no code was issued. */
export const canceledPage = (): Answer =>
  shown(
    renderPage(reader, {
      title: 'You canceled the sign-in',
      paragraphs: ['The command line received no access. You can close this window.'],
    }),
  )
