import { isWellFormed, type TokenKind } from '../src/platform/crypto/tokens.ts'

/** What a secret scanner looks for; the credential's checksum then says whether it is one. */
export const credentialPattern = /\brc(?:k_[0-9A-Za-z]{8}|[srcoatfgd])_[0-9A-Za-z]{49}\b/g

const kinds: readonly TokenKind[] = [
  ...(['apiKey', 'session', 'refresh', 'code', 'sso', 'request'] as const),
  ...(['accessToken', 'clientRefresh', 'clientCode', 'deviceCode'] as const),
]

/** The credentials of this service that stand in a text. */
export const credentialsIn = (text: string): string[] =>
  [...text.matchAll(credentialPattern)]
    .map(([found]) => found)
    .filter((found) => kinds.some((kind) => isWellFormed(kind, found)))

/** Collects what is logged, and knows which lines hold a secret. */
export class LogSweep {
  readonly lines: string[] = []
  readonly leaks: string[] = []
  readonly #planted: readonly string[]

  constructor(planted: readonly string[]) {
    this.#planted = planted.filter((secret) => secret.length >= 8)
  }

  write(line: string) {
    if (this.lines.length < 20_000) this.lines.push(line)
    if (credentialsIn(line).length > 0 || this.#planted.some((secret) => line.includes(secret))) {
      this.leaks.push(line)
    }
  }

  /** @throws when anything secret was logged, whatever the test was about. */
  expectNoSecrets() {
    if (this.leaks.length > 0) throw new Error(`A secret was logged:\n${this.leaks.slice(0, 3).join('')}`)
  }
}
