import { renderPage } from '#platform/http/page'
import type { Reader } from '#platform/http/reader'
import { scopeTexts } from '../../pages/scope-texts.ts'

/** The error that a client receives when the member declines. */
export const consentDeclined = {
  error: 'access_denied',
  error_description: 'The member did not agree.',
  error_reason: 'consent_declined',
} as const

interface Consent {
  readonly action: string
  readonly site: string
  readonly account: string
  readonly scopes: readonly string[]
  /** Starts the same login for another account; undefined where it cannot start again. */
  readonly elsewhere: string | undefined
}

/** Asks once what a site may learn about the member. */
export const consentPage = (
  reader: Reader,
  { action, site, account, scopes, elsewhere }: Consent,
  formTargets: readonly string[],
) => {
  const { say } = reader
  return renderPage(
    reader,
    {
      title: say('consentTitle', { site }),
      paragraphs: [say('signedInAs', { account }), say('consent', { site })],
      list: scopeTexts(reader, scopes),
      form: {
        action,
        hidden: {},
        buttons: [
          { name: 'decision', value: 'allow', text: say('allow') },
          { name: 'decision', value: 'deny', text: say('cancel') },
        ],
      },
      link: elsewhere === undefined ? undefined : { href: elsewhere, text: say('otherAccount', { account }) },
      notes: [say('consentNote')],
    },
    formTargets,
  )
}
