import { renderPage } from '#platform/http/page'
import type { Reader } from '#platform/http/reader'
import { scopeTexts } from '../../pages/scope-texts.ts'
import type { RequestedConsent } from './requested-consent.ts'

/** The error that a client receives when the member declines. */
export const consentDeclined = {
  error: 'access_denied',
  error_description: 'The member did not agree.',
  error_reason: 'consent_declined',
} as const

interface Consent extends RequestedConsent {
  readonly action: string
  readonly site: string
  readonly account: string
  /** The client's document address and redirect URI, if a metadata document describes it. Undefined for a project. */
  readonly program: { readonly address: string; readonly back: string } | undefined
  /** The address that starts the same sign-in with another account. Undefined if the sign-in cannot start again. */
  readonly elsewhere: string | undefined
}

/** Builds the page that asks which data a site may read about the member, and which API it may use for the member. */
export const consentPage = (
  reader: Reader,
  { action, site, account, program, scopes, api, elsewhere }: Consent,
  formTargets: readonly string[],
) => {
  const { say } = reader
  return renderPage(
    reader,
    {
      title: say('consentTitle', { site }),
      paragraphs: [
        say('signedInAs', { account }),
        ...(program ? [say('consentProgram', program)] : []),
        ...apiTexts(reader, site, api),
        ...(scopes ? [say('consent', { site })] : []),
      ],
      list: scopes ? scopeTexts(reader, scopes) : [],
      form: {
        action,
        hidden: {},
        buttons: [
          { name: 'decision', value: 'allow', text: say('allow') },
          { name: 'decision', value: 'deny', text: say('cancel') },
        ],
      },
      link: elsewhere === undefined ? undefined : { href: elsewhere, text: say('otherAccount', { account }) },
      notes: api ? [] : [say('consentNote')],
    },
    formTargets,
  )
}

/** Returns the text about the API that a site wants to use for the member, if there is one. */
export const apiTexts = ({ say }: Reader, site: string, api: RequestedConsent['api']): string[] =>
  api ? [say('consentApi', { site, api: api.name, resource: api.resource })] : []
