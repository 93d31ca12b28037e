/** What is known of a caller; `bucket` is what the rate limit counts by. */
export interface Identified {
  readonly bucket: string
  readonly projectId?: string
  readonly memberId?: string
  /** Which key said so. */
  readonly keyDigest?: string
}
