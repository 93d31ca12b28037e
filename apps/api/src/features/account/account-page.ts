import { Answer } from '#platform/http/answer'
import { headersOfForm, type PageEntry, type PageSection, page, pageHeaders } from '#platform/http/page'
import type { OwnConsent, OwnSession } from './account-needs.ts'
import { browserName } from './browser-name.ts'
import type { Account } from './store.ts'

/** What each scope lets a site know, as the page that asks for it says. */
const meanings: Readonly<Record<string, string>> = {
  profile: 'your name, nickname and picture',
  email: 'your e-mail address',
  roles: 'your roles in the community',
  offline_access: 'all of it while you are away',
}

const moments = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })
/** In UTC, as the small print says once. */
const moment = (at: Date) => moments.format(at)

const done = {
  session: 'It is ended. It counts nowhere any more.',
  consent: 'It is taken back. The site has to ask you again.',
} as const

interface AccountContent {
  readonly account: Account
  readonly sessions: readonly OwnSession[]
  readonly consents: readonly OwnConsent[]
  readonly serverNames: ReadonlyMap<string, string>
  /** The single sign-on of the browser that asks. */
  readonly here: string
  readonly done: keyof typeof done | undefined
}

/** Where somebody is logged in, what sites may know, and what is kept, with what they can do about each. */
export function accountPage({ account, sessions, consents, serverNames, here, done: what }: AccountContent) {
  const { name, username } = account
  const who = name === username ? username : `${name} (${username})`
  return new Answer(
    200,
    page({
      title: 'Your account',
      paragraphs: [...(what === undefined ? [] : [done[what]]), `You are logged in as ${who}.`],
      sections: [
        sitesSection(sessions, serverNames),
        browsersSection(sessions, here),
        consentsSection(consents),
        dataSection(account),
        leaveSection,
      ],
      link: undefined,
      notes: [
        'Times are in UTC. Names, roles and pictures come from the chat platform: change them there, and they change here.',
      ],
    }),
    headersOfForm(["'self'"]),
  )
}

const endOf = (id: string, about: string) => ({ href: `/account/sessions/${id}/end`, text: 'End', about })

const placeOf = ({ ip, userAgent }: OwnSession) =>
  ip === null ? browserName(userAgent) : `${browserName(userAgent)}, from ${ip}`

function sitesSection(
  sessions: readonly OwnSession[],
  serverNames: ReadonlyMap<string, string>,
): PageSection {
  const entries = sessions.filter(({ kind }) => kind !== 'sso').map(entryOf)
  function entryOf(session: OwnSession): PageEntry {
    const { id, kind, projectName, serverId, createdAt, expiresAt } = session
    const title = kind === 'admin' ? 'The administration of the community' : (projectName ?? 'A site')
    const server = serverNames.get(serverId ?? '')
    return {
      title,
      lines: [
        placeOf(session),
        `Since ${moment(createdAt)}, until ${moment(expiresAt)}, longer while it is used`,
        ...(server === undefined ? [] : [`As a member of ${server}`]),
      ],
      action: endOf(id, `${title}, ${browserName(session.userAgent)}`),
    }
  }
  return {
    heading: 'Sites that you are logged in to',
    paragraphs: [
      entries.length === 0
        ? 'None at the moment.'
        : 'Each of them sees your name, your picture, your e-mail address and your roles in its server, as they are at any moment. Something here that was not you? End it.',
    ],
    entries,
  }
}

function browsersSection(sessions: readonly OwnSession[], here: string): PageSection {
  return {
    heading: 'Browsers that stay logged in',
    paragraphs: ['In these you get into a site of the community without the login screen.'],
    entries: sessions
      .filter(({ kind }) => kind === 'sso')
      .map((session) => ({
        title:
          session.id === here
            ? `This browser: ${browserName(session.userAgent)}`
            : browserName(session.userAgent),
        lines: [
          ...(session.ip === null ? [] : [`From ${session.ip}`]),
          `Since ${moment(session.createdAt)}, until ${moment(session.expiresAt)}`,
        ],
        action: endOf(session.id, `${browserName(session.userAgent)}, since ${moment(session.createdAt)}`),
      })),
  }
}

const consentsSection = (consents: readonly OwnConsent[]): PageSection => ({
  heading: 'What you allowed sites to know',
  paragraphs: [
    consents.length === 0
      ? 'No site has asked you.'
      : 'Taking it back logs you out of the site. It keeps what it has noted already: ask its people about that.',
  ],
  entries: consents.map(({ projectId, projectName, scopes, at }) => ({
    title: projectName,
    lines: [
      ['Which account you are', ...scopes.flatMap((scope) => meanings[scope] ?? [])].join(', '),
      `Since ${moment(at)}`,
    ],
    action: { href: `/account/consents/${projectId}/withdraw`, text: 'Take back', about: projectName },
  })),
})

const dataSection = ({ email }: Account): PageSection => ({
  heading: 'What is kept about you',
  paragraphs: [
    `Your names, picture and ${email === null ? 'roles' : `roles, the address ${email}`}, where and when you logged in, and what was done to your account. To have it erased, ask an admin of the community.`,
  ],
  link: { href: '/account/data', text: 'Download all of it as a file (JSON)' },
})

const leaveSection: PageSection = {
  heading: 'Log out',
  paragraphs: ['In this browser only, from this page; or of all sites, in all browsers, at once.'],
  entries: [
    {
      title: 'Here',
      lines: ['Sites that you are logged in to go on.'],
      action: { href: '/account/log-out', text: 'Log out', about: 'here' },
    },
    {
      title: 'Everywhere',
      lines: ['Ends everything that is listed above, this page too.'],
      action: { href: '/account/log-out-everywhere', text: 'Log out', about: 'everywhere' },
    },
  ],
}

/** For who comes from a site that they logged out of. */
export const logoutPage = ({ username }: Account) =>
  new Answer(
    200,
    page({
      title: 'End the single sign-on of this browser?',
      paragraphs: [
        `You are logged in as ${username}. After this, every login in this browser asks the chat platform again. Sites that you are logged in to go on.`,
      ],
      form: {
        action: '/account/log-out',
        hidden: {},
        buttons: [{ name: 'log_out', value: 'yes', text: 'Log out' }],
      },
      link: { href: '/account', text: 'See where you are logged in' },
      notes: [],
    }),
    headersOfForm(["'self'"]),
  )

/** After the browser's single sign-on ended; its cookie goes. */
export const loggedOutPage = (isEverywhere: boolean, cookies: readonly string[]) =>
  new Answer(
    200,
    page({
      title: isEverywhere ? 'You are logged out everywhere' : 'You are logged out here',
      paragraphs: [
        isEverywhere
          ? 'Every site and every browser has to log in again.'
          : 'Sites that you are logged in to go on. This page asks for a login again.',
      ],
      link: { href: '/account', text: 'Log in again' },
      notes: [],
    }),
    { ...pageHeaders, 'set-cookie': [...cookies] },
  )
