import { ExactNumber } from '../json/exact-number.ts'
import { limits } from './limits.ts'

/**
 * Returns why a JSON value cannot be traversed (`DEPTH`) or stored (`NUMBER`), or undefined if it can. Does not
 * recurse, so it can check values of any depth.
 */
export function misshapen(value: unknown): 'DEPTH' | 'NUMBER' | undefined {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    const next: unknown[] = []
    for (const one of level) {
      // 1e400 is valid JSON, but JSON.parse returns Infinity for it.
      if (typeof one === 'number' && !Number.isFinite(one)) return 'NUMBER'
      if (typeof one !== 'object' || one === null || one instanceof ExactNumber) continue
      if (depth >= limits.depth) return 'DEPTH'
      for (const inner of Array.isArray(one) ? one : Object.values(one)) next.push(inner)
    }
    level = next
  }
  return undefined
}
