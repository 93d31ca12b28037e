import { isWellFormed, type TokenKind } from '../src/platform/crypto/tokens.ts'

/** The pattern of a secret scanner. The checksum then verifies a credential. */
export const credentialPattern = /\brc(?:k_[0-9A-Za-z]{8}|[srcoatfgd])_[0-9A-Za-z]{49}\b/g

const kinds: readonly TokenKind[] = [
  ...(['apiKey', 'session', 'refresh', 'code', 'sso', 'request'] as const),
  ...(['accessToken', 'clientRefresh', 'clientCode', 'deviceCode'] as const),
]

/** Returns the credentials of this service in a text. */
export const credentialsIn = (text: string): string[] =>
  [...text.matchAll(credentialPattern)]
    .map(([found]) => found)
    .filter((found) => kinds.some((kind) => isWellFormed(kind, found)))

/** Collects the log, and finds lines that contain a secret. */
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

  /** @throws if any secret was logged, in any test */
  expectNoSecrets() {
    if (this.leaks.length > 0) throw new Error(`A secret was logged:\n${this.leaks.slice(0, 3).join('')}`)
  }
}
