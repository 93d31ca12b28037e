/** The identity of a caller; `bucket` is the rate limit's key. */
export interface Identified {
  readonly bucket: string
  readonly projectId?: string
  readonly memberId?: string
  /** The key that identified the caller. */
  readonly keyDigest?: string
}
