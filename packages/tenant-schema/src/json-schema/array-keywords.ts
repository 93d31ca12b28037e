import { canonical } from './canonical.ts'
import { checkPart, every, type Keyword, quietly, readCount, readPositions } from './keyword.ts'

/** The cost of reading one item, in addition to the cost of its schema. */
const itemCost = 10

/** Checks each of the first items against the schema at the same position. */
const prefixItems: Keyword = (reading) => {
  const nodes = readPositions(reading).map((position) => reading.sub('apart', position))
  return (value, run, seen) => {
    if (!Array.isArray(value)) return true
    const held = nodes.slice(0, value.length)
    run.spend(nodes.length * itemCost)
    return every(held.entries(), run, ([i, node]) => {
      seen?.items.add(i)
      return checkPart(node, value[i], i, run)
    })
  }
}

/** Checks every item after those that a `prefixItems` in the same schema checks. */
const items: Keyword = (reading) => {
  const node = reading.sub('apart')
  const { prefixItems: before } = reading.schema
  const start = Array.isArray(before) ? before.length : 0
  return (value, run, seen) => {
    if (!Array.isArray(value)) return true
    if (seen) seen.hasAllItems = true
    if (reading.value === false) {
      return value.length <= start || run.fail('MAX_ITEMS', `must have at most ${start} items`)
    }
    run.spend(value.length * itemCost)
    return every(value.slice(start).entries(), run, ([i, item]) => checkPart(node, item, start + i, run))
  }
}

/** Checks every item that no other keyword of the schema has evaluated. */
const unevaluatedItems: Keyword = (reading) => {
  const node = reading.sub('apart')
  return (value, run, seen) => {
    if (!Array.isArray(value) || !seen || seen.hasAllItems) return true
    run.spend(value.length * itemCost)
    const passed = every(value.entries(), run, ([i, item]) => {
      if (seen.items.has(i)) return true
      if (reading.value === false) return run.fail('UNKNOWN_ITEM', 'is not a known item', String(i))
      return checkPart(node, item, i, run)
    })
    seen.hasAllItems = true
    return passed
  }
}

/** Checks that at least `minContains` and at most `maxContains` items match. */
const contains: Keyword = (reading) => {
  const node = reading.sub('apart')
  const { minContains: least = 1, maxContains: most = Number.POSITIVE_INFINITY } = reading.schema
  if (typeof least !== 'number' || typeof most !== 'number') return undefined
  return (value, run, seen) => {
    if (!Array.isArray(value)) return true
    run.spend(value.length * itemCost)
    let count = 0
    for (const [i, item] of value.entries()) {
      if (!quietly(run, () => checkPart(node, item, i, run))) continue
      seen?.items.add(i)
      count += 1
    }
    if (count < least) {
      return run.fail('CONTAINS', `must have at least ${least} of the items that the schema requires`)
    }
    return (
      count <= most || run.fail('CONTAINS', `must have at most ${most} of the items that the schema counts`)
    )
  }
}

/** Validates `minContains` and `maxContains`. It checks no value, because `contains` reads them. */
const containsBound: Keyword = (reading) => {
  readCount(reading)
  return undefined
}

/** Creates the keyword for a limit of the number of items. */
const itemBound =
  (code: string, words: string, holds: (count: number, limit: number) => boolean): Keyword =>
  (reading) => {
    const limit = readCount(reading)
    if (limit === undefined) return undefined
    const message = `must have ${words} ${limit} items`
    return (value, run) => !Array.isArray(value) || holds(value.length, limit) || run.fail(code, message)
  }

/** Checks that all items differ. It compares the items' texts, so it reads each item only once. */
const uniqueItems: Keyword = ({ value: wanted, complain }) => {
  if (typeof wanted !== 'boolean') complain('must be true or false')
  if (wanted !== true) return undefined
  return (value, run) => {
    if (!Array.isArray(value)) return true
    const texts = new Set(value.map((item) => canonical(item, run)))
    return texts.size === value.length || run.fail('UNIQUE_ITEMS', 'must not have equal items')
  }
}

/** The keywords for arrays, in the order of their checks. `unevaluatedItems` is separate, because it comes last. */
export const arrayKeywords: Readonly<Record<string, Keyword>> = {
  minItems: itemBound('MIN_ITEMS', 'at least', (count, limit) => count >= limit),
  maxItems: itemBound('MAX_ITEMS', 'at most', (count, limit) => count <= limit),
  uniqueItems,
  minContains: containsBound,
  maxContains: containsBound,
  contains,
  prefixItems,
  items,
}

/** The keywords for arrays that must be checked after all others. */
export const lastArrayKeywords: Readonly<Record<string, Keyword>> = { unevaluatedItems }
