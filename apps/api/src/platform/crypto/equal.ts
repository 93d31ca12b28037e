import { hash, timingSafeEqual } from 'node:crypto'

/** Compares two secrets in constant time. */
export const equalInConstantTime = (a: string, b: string): boolean =>
  timingSafeEqual(hash('sha256', a, 'buffer'), hash('sha256', b, 'buffer'))
