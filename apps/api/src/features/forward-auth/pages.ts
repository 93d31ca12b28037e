import { Answer } from '#platform/http/answer'
import { renderPage } from '#platform/http/page'
import type { Notice, Reader } from '#platform/http/reader'

/** The members whom a host admits: those of the server who have one of the roles, or all if there are no roles. */
interface Required {
  readonly host: string
  readonly server: string
  readonly roles: readonly string[]
}

/** Says in one sentence who may open a host, for the `detail` of an error. */
export const whoMay = ({ host, server, roles }: Required) =>
  `${host} is for members of ${server}${
    roles.length === 0
      ? '.'
      : ` who hold ${roles.length === 1 ? 'the role' : 'one of the roles'} ${roles.join(', ')}.`
  }`

/** Says who may open a host, and what the person can do, for a page in the person's language. */
export const noticeOfRoles =
  ({ host, server, roles }: Required): Notice =>
  ({ language, say }) => {
    const names = new Intl.ListFormat(language, { type: 'disjunction' }).format(roles)
    const who =
      roles.length === 0
        ? say('roleMembers', { host, server })
        : say(roles.length === 1 ? 'roleOne' : 'roleAny', { host, server, roles: names })
    return [who, say('roleAdvice')]
  }

/** Builds the page that asks for confirmation before the session at a host ends. */
export function logoutPage(reader: Reader, host: string): Answer {
  const { say } = reader
  const content = {
    title: say('hostLogoutTitle', { host }),
    paragraphs: [say('hostLogout')],
    form: {
      action: '/_rolecall/logout',
      hidden: {},
      buttons: [{ name: 'log_out', value: 'yes', text: say('signOut') }],
    },
    link: { href: '/', text: say('staySignedIn') },
  }
  const { body, headers } = renderPage(reader, content, ["'self'"])
  return new Answer(200, body, headers)
}

/**
 * Builds the page after the session at a host has ended. The browser is still signed in at the service itself, so the
 * page links to where this single sign-on can be ended.
 */
export function loggedOutPage(reader: Reader, host: string, cookie: string, publicUrl: string): Answer {
  const { say } = reader
  const { body, headers } = renderPage(reader, {
    title: say('signedOutTitle'),
    paragraphs: [say('hostLoggedOut', { host })],
    link: { href: '/', text: say('signInAgain') },
    sections: [
      {
        heading: say('sharedHeading'),
        paragraphs: [say('shared')],
        link: { href: `${publicUrl}/account/log-out`, text: say('endSso') },
      },
    ],
  })
  return new Answer(200, body, { ...headers, 'set-cookie': cookie })
}
