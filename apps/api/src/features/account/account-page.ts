import { Answer } from '#platform/http/answer'
import { type PageEntry, type PageSection, renderPage } from '#platform/http/page'
import type { Reader } from '#platform/http/reader'
import { scopeTexts } from '../../pages/scope-texts.ts'
import type { OwnConsent, OwnSession } from './account-needs.ts'
import { browserName } from './browser-name.ts'
import type { Account } from './store.ts'

/** The messages after a change, by the query parameter `done`. */
const done = { session: 'sessionEnded', consent: 'consentWithdrawn' } as const

interface AccountContent {
  readonly account: Account
  readonly sessions: readonly OwnSession[]
  readonly consents: readonly OwnConsent[]
  readonly serverNames: ReadonlyMap<string, string>
  /** The ID of the single sign-on of this browser. */
  readonly here: string
  readonly done: keyof typeof done | undefined
}

/**
 * Builds the account page. It shows where the person is signed in, which sites can read their data, and what is stored,
 * with a control for each.
 */
export function accountPage(reader: Reader, content: AccountContent): Answer {
  const { say } = reader
  const { account, sessions, consents, serverNames, here, done: what } = content
  const { name, username } = account
  const who = name === username ? username : `${name} (${username})`
  const { body, headers } = renderPage(
    reader,
    {
      title: say('accountTitle'),
      paragraphs: [...(what === undefined ? [] : [say(done[what])]), say('signedInAs', { account: who })],
      sections: [
        sitesSection(reader, sessions, serverNames),
        browsersSection(reader, sessions, here),
        consentsSection(reader, consents),
        dataSection(reader, account),
        leaveSection(reader),
      ],
      notes: [say('accountNote')],
    },
    ["'self'"],
  )
  return new Answer(200, body, headers)
}

/** Formats a time in UTC. A note on the page says so. */
const moment = ({ language }: Reader, at: Date) =>
  new Intl.DateTimeFormat(language, {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone: 'UTC',
    hourCycle: 'h23',
  }).format(at)

/** Builds the control that ends a session. `about` names the session for screen readers. */
const endOf = ({ say }: Reader, id: string, about: string) => ({
  href: `/account/sessions/${id}/end`,
  text: say('end'),
  about,
})

const addressOf = ({ say }: Reader, { ip }: OwnSession) => (ip === null ? [] : [say('ipAddress', { ip })])

const periodOf = (reader: Reader, { createdAt, expiresAt }: OwnSession) => ({
  start: moment(reader, createdAt),
  end: moment(reader, expiresAt),
})

/** Lists the sessions at sites and in the console. */
function sitesSection(
  reader: Reader,
  sessions: readonly OwnSession[],
  serverNames: ReadonlyMap<string, string>,
): PageSection {
  const { say } = reader
  const entries = sessions.filter(({ kind }) => kind !== 'sso').map(entryOf)
  function entryOf(session: OwnSession): PageEntry {
    const { id, kind, projectName, clientId, serverId } = session
    const title = kind === 'admin' ? say('adminSession') : (clientId ?? projectName ?? say('someSite'))
    const browser = browserName(reader, session.userAgent)
    const server = serverNames.get(serverId ?? '')
    return {
      title,
      lines: [
        browser,
        ...addressOf(reader, session),
        say('periodExtended', periodOf(reader, session)),
        ...(server === undefined ? [] : [say('asMember', { server })]),
      ],
      action: endOf(reader, id, `${title}, ${browser}`),
    }
  }
  return {
    heading: say('sitesHeading'),
    paragraphs: [entries.length === 0 ? say('sitesNone') : say('sites')],
    entries,
  }
}

/** Lists the browsers with single sign-on. */
function browsersSection(reader: Reader, sessions: readonly OwnSession[], here: string): PageSection {
  const { say } = reader
  const entryOf = (session: OwnSession): PageEntry => {
    const browser = browserName(reader, session.userAgent)
    const period = periodOf(reader, session)
    return {
      title: session.id === here ? say('thisBrowser', { browser }) : browser,
      lines: [...addressOf(reader, session), say('period', period)],
      action: endOf(reader, session.id, `${browser}, ${period.start}`),
    }
  }
  return {
    heading: say('browsersHeading'),
    paragraphs: [say('browsers')],
    entries: sessions.filter(({ kind }) => kind === 'sso').map(entryOf),
  }
}

function consentsSection(reader: Reader, consents: readonly OwnConsent[]): PageSection {
  const { language, say } = reader
  const list = new Intl.ListFormat(language, { type: 'unit' })
  return {
    heading: say('consentsHeading'),
    paragraphs: [consents.length === 0 ? say('consentsNone') : say('consents')],
    entries: consents.map(({ projectId, projectName, clientId, scopes, resources, at }) => ({
      title: clientId ?? projectName,
      lines: [
        list.format(scopeTexts(reader, scopes)),
        ...resources.map((resource) => say('consentedApi', { resource })),
        say('since', { start: moment(reader, at) }),
      ],
      action: {
        href: `/account/consents/${projectId}/withdraw${clientId === null ? '' : `?${new URLSearchParams({ clientId })}`}`,
        text: say('withdraw'),
        about: clientId ?? projectName,
      },
    })),
  }
}

const dataSection = ({ say }: Reader, { email }: Account): PageSection => ({
  heading: say('dataHeading'),
  paragraphs: [say('data'), ...(email === null ? [] : [say('dataEmail', { email })]), say('dataErase')],
  link: { href: '/account/data', text: say('download') },
})

const leaveSection = ({ say }: Reader): PageSection => ({
  heading: say('signOut'),
  paragraphs: [],
  entries: [
    {
      title: say('signOutHere'),
      lines: [say('sso')],
      action: { href: '/account/log-out', text: say('signOut'), about: say('signOutHere') },
    },
    {
      title: say('signOutEverywhere'),
      lines: [say('signOutEverywhereEffect')],
      action: { href: '/account/log-out-everywhere', text: say('signOut'), about: say('signOutEverywhere') },
    },
  ],
})

/** Builds the page that asks whether to end single sign-on in this browser, for a person who signed out of a site. */
export function logoutPage(reader: Reader, { username }: Account): Answer {
  const { say } = reader
  const content = {
    title: say('ssoTitle'),
    paragraphs: [say('signedInAs', { account: username }), say('sso')],
    form: {
      action: '/account/log-out',
      hidden: {},
      buttons: [{ name: 'log_out', value: 'yes', text: say('signOut') }],
    },
    link: { href: '/account', text: say('seeSessions') },
  }
  const { body, headers } = renderPage(reader, content, ["'self'"])
  return new Answer(200, body, headers)
}

/** Builds the page after single sign-on has ended in this browser or everywhere. `cookies` delete its cookie. */
export function loggedOutPage(reader: Reader, isEverywhere: boolean, cookies: readonly string[]): Answer {
  const { say } = reader
  const { body, headers } = renderPage(reader, {
    title: isEverywhere ? say('signedOutEverywhereTitle') : say('signedOutHereTitle'),
    paragraphs: [isEverywhere ? say('signedOutEverywhere') : say('signedOutHere')],
    link: { href: '/account', text: say('signInAgain') },
  })
  return new Answer(200, body, { ...headers, 'set-cookie': [...cookies] })
}
