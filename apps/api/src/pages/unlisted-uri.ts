import { maskCredentials } from '#platform/crypto/tokens'
import type { PageSection } from '#platform/http/page'
import type { Reader } from '#platform/http/reader'
import type { Config } from '../config.ts'

/** A redirect URI that the project has not listed, as it was sent, and the page on which its owner lists it. */
export interface UnlistedUri {
  readonly redirectUri: string
  /** An address of the console; undefined if no console is served. */
  readonly href?: string
}

export const unlistedUri = (
  { console }: Pick<Config, 'console'>,
  projectId: string,
  redirectUri: string,
): UnlistedUri => ({
  redirectUri,
  ...(console && { href: `/console/projects/${projectId}/redirects` }),
})

/** The rest of a longer address adds nothing for an owner. */
const maxShown = 200

/** Explains the problem to the owner of the project. The address is text and never a link: anyone may have made it up. */
export function sectionAboutUri(
  { say }: Reader,
  site: string,
  { redirectUri, href }: UnlistedUri,
): PageSection {
  // Invisible characters and changes of the writing direction would make the page show a different address.
  const text = maskCredentials(redirectUri).replaceAll(/[\p{C}\p{Z}]/gu, '\ufffd')
  return {
    heading: say('unlistedHeading', { site }),
    paragraphs: [
      say('unlisted'),
      text.length > maxShown ? `${text.slice(0, maxShown)}…` : text,
      say('unlistedAdvice'),
    ],
    ...(href !== undefined && { link: { href, text: say('unlistedLink', { site }) } }),
  }
}
