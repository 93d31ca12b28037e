import { Answer } from '#platform/http/answer'
import { headersOfForm, page, pageHeaders } from '#platform/http/page'

/** Which roles a host asks for, as a sentence. */
export const whoMay = (host: string, server: string | undefined, roles: readonly string[]) =>
  `${host} is for members of ${server ?? 'a server'}${
    roles.length === 0
      ? '.'
      : ` who hold ${roles.length === 1 ? 'the role' : 'one of the roles'} ${roles.join(', ')}.`
  }`

/** Asks before a session is ended. */
export const logoutPage = (host: string) =>
  new Answer(
    200,
    page({
      title: `Log out of ${host}?`,
      paragraphs: ['Other sites that you are logged in to are not logged out.'],
      form: {
        action: '/_rolecall/logout',
        hidden: {},
        buttons: [{ name: 'log_out', value: 'yes', text: 'Log out' }],
      },
      link: { href: '/', text: 'Stay logged in' },
      notes: [],
    }),
    headersOfForm(["'self'"]),
  )

/** The single sign-on of the browser is on the service's own host, and ends there. */
export const loggedOutPage = (host: string, cookie: string, publicUrl: string) =>
  new Answer(
    200,
    page({
      title: 'You are logged out',
      paragraphs: [`This browser is logged in to ${host} no more.`],
      link: { href: '/', text: 'Log in again' },
      sections: [
        {
          heading: 'Is this somebody else’s device?',
          paragraphs: [
            'Then end the single sign-on, too: until it ends, whoever has this browser can log in again without being asked.',
          ],
          link: { href: `${publicUrl}/account/log-out`, text: 'End the single sign-on' },
        },
      ],
      notes: [],
    }),
    { ...pageHeaders, 'set-cookie': cookie },
  )
