/**
 * The name under which an API key is counted. By the digest of the whole key: its prefix is public, and whoever made up
 * the rest could use up what the holder may ask.
 */
export const keyBucket = (keyDigest: string) => `key:${keyDigest}`
