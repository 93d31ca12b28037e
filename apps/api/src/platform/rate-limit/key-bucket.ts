import { addressBucket } from './address-bucket.ts'

/**
 * Returns the name under which an API key is counted. It contains the digest of the whole key. With the public prefix
 * alone, anyone could use up the limit of the holder.
 */
export const keyBucket = (keyDigest: string) => `key:${keyDigest}`

/** Returns the name for counting the unknown session tokens that a holder of the key passes on. */
export const unknownTokenBucket = (keyDigest: string, ip: string) =>
  `unknown-tokens:${keyDigest}:${addressBucket(ip)}`
