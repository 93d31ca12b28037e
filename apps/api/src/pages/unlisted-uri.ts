import { maskCredentials } from '#platform/crypto/tokens'
import type { PageSection } from '#platform/http/page'
import type { Reader } from '#platform/http/reader'
import type { Config } from '../config.ts'

/**
 * A redirect URI that the project has not registered, as it was sent, and the console page on which an owner can add
 * it.
 */
export interface UnlistedUri {
  readonly redirectUri: string
  /** The path of that page. Undefined if the console is disabled. */
  readonly href?: string
}

/** Creates the value, with the address of the console page if the console is enabled. */
export const unlistedUri = (
  { console }: Pick<Config, 'console'>,
  projectId: string,
  redirectUri: string,
): UnlistedUri => ({
  redirectUri,
  ...(console && { href: `/console/projects/${projectId}/redirects` }),
})

/** The maximum number of characters that the page shows of the redirect URI. */
const maxShown = 200

/**
 * Explains to the owner of the project how to register the redirect URI. It is shown as text and not as a link, because
 * anyone may have invented it.
 */
export function sectionAboutUri(
  { say }: Reader,
  site: string,
  { redirectUri, href }: UnlistedUri,
): PageSection {
  // Invisible characters and changes of the writing direction are replaced. They could make the page show a different
  // address.
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
