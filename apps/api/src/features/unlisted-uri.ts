import { maskCredentials } from '#platform/crypto/tokens'
import type { PageSection } from '#platform/http/page'
import type { Config } from '../config.ts'

/** A redirect URI that the project has not listed, as it was sent, and where its owner lists it. */
export interface UnlistedUri {
  readonly redirectUri: string
  /** An address of ours; undefined where no console is served. */
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

/** More of an address tells an owner nothing that its beginning does not. */
const longestShown = 200

/** For whoever can list the address. It is text and never a link: anyone may have made it up. */
export function sectionAboutUri(name: string, { redirectUri, href }: UnlistedUri): PageSection {
  // Characters that are not seen, or that turn the direction of writing, would show another address than the one sent.
  const text = maskCredentials(redirectUri).replaceAll(/[\p{C}\p{Z}]/gu, '\ufffd')
  return {
    heading: `If you run ${name}`,
    paragraphs: [
      'The login link asks to send people on to this address, which is not one of its redirect URIs:',
      text.length > longestShown ? `${text.slice(0, longestShown)}…` : text,
      'If it is an address of yours, add it to the list exactly as it is sent. Otherwise leave it out.',
    ],
    ...(href !== undefined && { link: { href, text: `Redirect URIs of ${name}` } }),
  }
}
