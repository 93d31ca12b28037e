/** A caller that was identified. Rate limits count requests by `bucket`. */
export interface Identified {
  readonly bucket: string
  readonly projectId?: string
  readonly memberId?: string
  /** The digest of the API key that identified the caller. */
  readonly keyDigest?: string
}
