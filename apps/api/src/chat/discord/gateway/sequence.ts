/** The number of gaps within ten minutes after which the platform's sequence is not trusted. */
const maxGaps = 5
const windowMs = 10 * 60_000

/**
 * Finds gaps in the platform's numbering of events. Its documentation warns that events may be lost; a number that
 * never arrived is a gap. The platform does not guarantee a numbering without gaps, so it is not trusted after
 * `maxGaps`.
 */
export function createSequences(now = () => performance.now()) {
  const last = new Map<number, number>()
  let gaps: number[] = []

  return {
    begin: (shardId: number, sequence: number) => void last.set(shardId, sequence),
    /** Returns true if an event before this one was never received. */
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
