/** Gaps within ten minutes after which the platform's numbers are not believed any more. */
const maxGaps = 5
const windowMs = 10 * 60_000

/**
 * The platform numbers what it tells in a session. Its documentation warns that events may be lost; one that was
 * numbered and never came is a gap. Nobody promises that there are no others, so many of them mean nothing.
 */
export function createSequences(now = () => performance.now()) {
  const last = new Map<number, number>()
  let gaps: number[] = []

  return {
    begin: (shardId: number, sequence: number) => void last.set(shardId, sequence),
    /** True when something before this one was never told. */
    hasGap(shardId: number, sequence: number): boolean {
      const before = last.get(shardId)
      if (before !== undefined && sequence <= before) return false
      last.set(shardId, sequence)
      if (before === undefined || sequence === before + 1) return false
      gaps = gaps.filter((at) => at > now() - windowMs)
      gaps.push(now())
      return gaps.length <= maxGaps
    },
  }
}
