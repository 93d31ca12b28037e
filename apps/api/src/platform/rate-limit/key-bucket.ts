import { addressBucket } from './address-bucket.ts'

/**
 * Returns the rate limit bucket of an API key. It contains the digest of the whole key. The prefix of a key is public,
 * so with the prefix alone, anyone could use up the limit of the key.
 */
export const keyBucket = (keyDigest: string) => `key:${keyDigest}`

/** Returns the bucket that counts the unknown session tokens that a client at this address sends with this key. */
export const unknownTokenBucket = (keyDigest: string, ip: string) =>
  `unknown-tokens:${keyDigest}:${addressBucket(ip)}`
