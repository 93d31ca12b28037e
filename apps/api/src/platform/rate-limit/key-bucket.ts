import { addressBucket } from './address-bucket.ts'

/**
 * Returns the name under which an API key is counted. It uses the digest of the whole key: its prefix is public, and a
 * made-up rest could otherwise use up the holder's limit.
 */
export const keyBucket = (keyDigest: string) => `key:${keyDigest}`

/** Returns the name for counting the unknown session tokens that a holder of the key passes on. */
export const unknownTokenBucket = (keyDigest: string, ip: string) =>
  `unknown-tokens:${keyDigest}:${addressBucket(ip)}`
