import { addressBucket } from './address-bucket.ts'

/**
 * The name under which an API key is counted. By the digest of the whole key: its prefix is public, and whoever made up
 * the rest could use up what the holder may ask.
 */
export const keyBucket = (keyDigest: string) => `key:${keyDigest}`

/** The name under which unknown session tokens are counted that a holder of the key passes on. */
export const unknownTokenBucket = (keyDigest: string, ip: string) =>
  `unknown-tokens:${keyDigest}:${addressBucket(ip)}`
