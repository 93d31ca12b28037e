import { hash, timingSafeEqual } from 'node:crypto'

/** Compares two secrets in a time that does not depend on where, or by how much, they differ. */
export const equalInConstantTime = (a: string, b: string): boolean =>
  timingSafeEqual(hash('sha256', a, 'buffer'), hash('sha256', b, 'buffer'))
