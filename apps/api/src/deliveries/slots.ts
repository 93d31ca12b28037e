/** The maximum number of receivers that an instance sends to at the same time, if they respond quickly. */
const maxPrompt = 32
/**
 * The same for receivers that have failed or were slow. They have places of their own, so that they delay only each
 * other.
 */
const maxTroubled = 128
/**
 * After this time, a receiver counts as slow and leaves its place, so that logouts reach all others within a second.
 */
export const slowMs = 500

/**
 * Limits how many receivers one instance sends to at the same time. A receiver that takes longer than `slowMs` moves to
 * the troubled places. So a receiver that hangs or has a long queue does not take a place from others.
 */
export function createSlots() {
  const used = { prompt: 0, troubled: 0 }
  return {
    /** Returns how many receivers of each sort may be claimed now. */
    free: () => ({
      prompt: Math.max(0, Math.min(maxPrompt, 2 * maxTroubled - used.troubled) - used.prompt),
      troubled: Math.max(0, maxTroubled - used.troubled),
    }),
    /** Takes a place, and returns the function that frees it. */
    take(isTroubled: boolean): () => void {
      let lane: keyof typeof used = isTroubled ? 'troubled' : 'prompt'
      used[lane] += 1
      const timer = setTimeout(() => {
        used[lane] -= 1
        lane = 'troubled'
        used[lane] += 1
      }, slowMs).unref()
      return () => {
        clearTimeout(timer)
        used[lane] -= 1
      }
    },
  }
}
