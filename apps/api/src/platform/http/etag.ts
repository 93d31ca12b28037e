/**
 * Returns true if one of the tags matches. Compares weakly (RFC 9110 §13.1.2), because a proxy that encodes weakens
 * tags.
 */
export const isConfirmed = (tags: string | undefined, etag: string): boolean =>
  tags?.split(',').some((tag) => ['*', etag, `W/${etag}`].includes(tag.trim())) ?? false
