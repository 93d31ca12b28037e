import { bulkId, bulkIndex, bulkIndexAfter, bulkMember, bulkSearch } from './bulk.ts'
import type { BulkRange, Members, SimMember } from './model.ts'
import { compareIds } from './snowflake.ts'

/**
 * Creates the members of a server, in two layers: members that were added or edited one by one, and below them ranges
 * of generated people. Editing a generated person moves them to the first layer, but keeps their place in the order. So
 * an edit costs the same with 200,000 members as with ten.
 */
export function createMembers(): Members {
  const written = new Map<string, SimMember>()
  const ids: string[] = []
  const ranges: BulkRange[] = []
  const gone = new Set<string>()
  let size = 0

  const rangeOf = (index: number) => ranges.find((range) => index >= range.from && index < range.to)
  const generatedAt = (id: string) => {
    const index = ranges.length > 0 ? bulkIndex(id) : -1
    const range = index < 0 ? undefined : rangeOf(index)
    return range && { index, range }
  }
  const get = (id: string) => {
    const own = written.get(id)
    if (own || gone.has(id)) return own
    const place = generatedAt(id)
    return place && bulkMember(place.index, place.range)
  }
  function* fromRanges(after: string) {
    if (ranges.length === 0) return
    const start = bulkIndexAfter(after)
    for (const range of ranges) {
      for (let index = Math.max(start, range.from); index < range.to; index++) {
        const id = bulkId(index)
        const member = written.get(id) ?? (gone.has(id) ? undefined : bulkMember(index, range))
        if (member) yield member
      }
    }
  }

  return {
    get size() {
      return size
    },
    get,
    put(member) {
      const id = member.user_id
      if (!get(id)) size++
      if (!written.has(id) && !generatedAt(id)) ids.splice(firstAbove(ids, id), 0, id)
      written.set(id, member)
      gone.delete(id)
    },
    remove(id) {
      if (!get(id)) return false
      size--
      written.delete(id)
      if (generatedAt(id)) gone.add(id)
      else ids.splice(firstAbove(ids, id) - 1, 1)
      return true
    },
    addRange(range) {
      ranges.push(range)
      size += range.to - range.from
    },
    page(after, limit) {
      const found: SimMember[] = []
      const generated = fromRanges(after)
      let next = generated.next()
      let at = firstAbove(ids, after)
      while (found.length < limit) {
        const id = ids[at]
        if (id !== undefined && (next.done || compareIds(id, next.value.user_id) < 0)) {
          found.push(written.get(id) as SimMember)
          at++
        } else if (!next.done) {
          found.push(next.value)
          next = generated.next()
        } else break
      }
      return found
    },
    written: () => written.values(),
    *generated(prefix) {
      for (const range of ranges) {
        for (const index of bulkSearch(prefix, range)) {
          const id = bulkId(index)
          if (!written.has(id) && !gone.has(id)) yield bulkMember(index, range)
        }
      }
    },
    remember() {
      const kept = { written: [...written], ids: [...ids], ranges: [...ranges], gone: [...gone], size }
      return () => {
        written.clear()
        for (const [id, member] of kept.written) written.set(id, member)
        gone.clear()
        for (const id of kept.gone) gone.add(id)
        ids.length = 0
        for (const id of kept.ids) ids.push(id)
        ranges.splice(0, ranges.length, ...kept.ranges)
        size = kept.size
      }
    },
  }
}

/** Returns the position of the first ID greater than `id`. */
function firstAbove(ids: readonly string[], id: string): number {
  let low = 0
  let high = ids.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (compareIds(ids[middle] as string, id) <= 0) low = middle + 1
    else high = middle
  }
  return low
}
