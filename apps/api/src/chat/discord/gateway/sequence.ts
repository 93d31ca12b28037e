/** After this number of gaps within ten minutes, gaps are ignored. */
const maxGaps = 5
const windowMs = 10 * 60_000

/**
 * Creates a detector for gaps in Discord's sequence numbers. According to Discord's documentation, events may get lost,
 * and then a number never arrives. But Discord does not promise numbers without gaps. So after `maxGaps` of them, they
 * no longer count as lost events.
 */
export function createSequences(now = () => performance.now()) {
  const last = new Map<number, number>()
  let gaps: number[] = []

  return {
    begin: (shardId: number, sequence: number) => void last.set(shardId, sequence),
    /** Returns true if an event before this one was not received. */
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
