/** Compares tags weakly (RFC 9110 §13.1.2): a proxy that changes the encoding weakens them. */
export const isConfirmed = (tags: string | undefined, etag: string): boolean =>
  tags?.split(',').some((tag) => ['*', etag, `W/${etag}`].includes(tag.trim())) ?? false
