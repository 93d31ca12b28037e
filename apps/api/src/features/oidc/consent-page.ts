import { page } from '#platform/http/page'

/** What each scope means to the person whose data it is. */
const meanings: Readonly<Record<string, string>> = {
  profile: 'Your name, nickname and picture',
  email: 'Your e-mail address',
  roles: 'Your roles in the community, as they are at any moment',
  offline_access: 'To stay connected while you are away, until you log out or leave the community',
}

/** The reason that a client is told when the member declines. */
export const consentDeclined = 'The member did not agree.'

interface Consent {
  readonly action: string
  readonly site: string
  readonly account: string
  readonly scopes: readonly string[]
  /** Where the same login begins anew, for who is not the account; none where it cannot. */
  readonly elsewhere: string | undefined
}

/** Asks once what a site may know. */
export const consentPage = ({ action, site, account, scopes, elsewhere }: Consent) =>
  page({
    title: `Log in to ${site}?`,
    paragraphs: [
      `You are logged in as ${account}. ${site} is not run by this service, and would get to know:`,
    ],
    list: ['Which account you are', ...scopes.flatMap((scope) => meanings[scope] ?? [])],
    form: {
      action,
      hidden: {},
      buttons: [
        { name: 'decision', value: 'allow', text: 'Allow' },
        { name: 'decision', value: 'deny', text: 'Cancel' },
      ],
    },
    link:
      elsewhere === undefined
        ? undefined
        : { href: elsewhere, text: `Not ${account}? Log in as somebody else` },
    notes: ['You are asked once for each site. Whatever it has ends when you leave the community.'],
  })
