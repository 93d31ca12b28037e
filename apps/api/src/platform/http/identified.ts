/** The identity of a caller. Rate limits count by `bucket`. */
export interface Identified {
  readonly bucket: string
  readonly projectId?: string
  readonly memberId?: string
  /** The key that identified the caller. */
  readonly keyDigest?: string
}
