/**
 * Returns true if a tag of an `If-None-Match` header matches. Uses the weak comparison (RFC 9110 §13.1.2), because a
 * proxy that compresses a response makes its tag weak.
 */
export const isConfirmed = (tags: string | undefined, etag: string): boolean =>
  tags?.split(',').some((tag) => ['*', etag, `W/${etag}`].includes(tag.trim())) ?? false
