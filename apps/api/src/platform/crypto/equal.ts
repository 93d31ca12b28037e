import { hash, timingSafeEqual } from 'node:crypto'

/**
 * Compares two secrets. The duration does not depend on their content, so it reveals nothing about them. Hashing makes
 * them equally long, as `timingSafeEqual` requires.
 */
export const equalInConstantTime = (a: string, b: string): boolean =>
  timingSafeEqual(hash('sha256', a, 'buffer'), hash('sha256', b, 'buffer'))
