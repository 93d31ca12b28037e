const segment = '[A-Za-z0-9_~-][A-Za-z0-9._~-]*'

/** A pattern of the contract, and the same rule in words. */
interface Rule {
  readonly pattern: string
  readonly message: string
}

/** All patterns that requests are validated against. Refusals contain the words, because a pattern is hard to read. */
export const patterns = {
  /** RFC 7636 §4.1. */
  codeVerifier: {
    pattern: '^[A-Za-z0-9._~-]{43,128}$',
    message: 'must be 43 to 128 characters: letters, digits, and . _ ~ - (a PKCE verifier, RFC 7636)',
  },
  /** RFC 7636 §4.2, S256. */
  codeChallenge: {
    pattern: '^[A-Za-z0-9_-]{43}$',
    message:
      'must be 43 characters: the SHA-256 of the PKCE verifier in base64url, without = at the end (RFC 7636)',
  },
  /**
   * The slug of a webhook. It must not look like a UUID, because the path accepts an ID or a slug at the same place.
   */
  slug: {
    pattern: '^(?![0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?$',
    message:
      'must be lower-case letters, digits, and hyphens, begin and end with a letter or digit, and not be a UUID',
  },
  deliveryCursor: {
    pattern: '^[0-9]{1,18}-[0-9]{1,15}-[0-9a-z]{1,8}$',
    message: 'must be an unchanged nextCursor of a response',
  },
  changeCursor: {
    pattern:
      '^[0-9]{1,18}(\\.[0-9]{1,18}){0,50}(_[0-9]{1,18}(\\.[0-9]{1,18}){0,50}_[0-9]{1,18}_[0-9]{1,20})?(-[0-9]{1,9})?$',
    message: 'must be an unchanged changeCursor of a response',
  },
  entryCursor: {
    pattern: '^[0-9]{1,15}-[0-9]{1,18}$',
    message: 'must be an unchanged nextCursor of a response',
  },
  momentCursor: {
    pattern: '^[0-9]{1,15}-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
    message: 'must be an unchanged nextCursor of a response',
  },
  targetType: {
    pattern: '^[a-z][a-z_-]*$',
    message: 'must be a lower-case word, such as project or member',
  },
  color: {
    pattern: '^#[0-9a-fA-F]{6}$',
    message: 'must be a color of six hexadecimal digits, such as #0b57b7',
  },
  /** The hash of a picture at Discord: hexadecimal digits, usually 32, with the prefix `a_` for an animated picture. */
  imageHash: {
    pattern: '^(a_)?[0-9a-f]{1,64}$',
    message: 'must be the hash in the address of an image',
  },
  /**
   * The page of the console to which an administrator returns. The code is in the fragment of the URL, and browsers
   * keep a fragment over redirects, so the page must not redirect to another site. The path contains no percent sign,
   * no backslash, and no empty segment, and no segment begins with a dot. So the browser opens exactly the checked
   * path.
   */
  adminReturnTo: {
    pattern: `^/(console/(${segment}(/${segment})*/?)?(\\?[A-Za-z0-9/_.~?&=%+:@,;!$*()-]*)?)?$`,
    message: 'must be /, or a path below /console/ with plain characters',
  },
  /**
   * A redirect URI of the same machine, as a literal address: a name such as localhost may resolve to another machine.
   */
  loopbackRedirect: {
    pattern:
      '^http://(127\\.0\\.0\\.1|\\[::1\\]):([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])/callback$',
    message:
      'must be http://127.0.0.1:PORT/callback or http://[::1]:PORT/callback, with a port from 1 to 65535',
  },
  commandLineState: {
    pattern: '^[A-Za-z0-9._~-]{1,512}$',
    message: 'must be 1 to 512 characters: letters, digits, and . _ ~ -',
  },
  /** The secret of a confirmation: 256 random bits in base64url. No one-time code has this form. */
  confirmation: {
    pattern: '^[A-Za-z0-9_-]{43}$',
    message: 'must be the 43 characters from the address of the sign-in',
  },
} satisfies Record<string, Rule>

const rules: readonly Rule[] = Object.values(patterns)

/** Returns the rule of a pattern in words, or undefined if the contract does not contain it. */
export const patternMessage = (pattern: unknown): string | undefined =>
  rules.find((rule) => rule.pattern === pattern)?.message
