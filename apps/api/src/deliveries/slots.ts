/** The maximum number of promptly responding receivers that an instance sends to at the same time. */
const maxPrompt = 32
/** The same for receivers that failed or were slow, so that they delay only each other. */
const maxTroubled = 128
/**
 * Time after which a receiver counts as slow and frees its place, so that clients are notified of logouts within a
 * second.
 */
export const slowMs = 500

/**
 * Limits the receivers that one instance sends to at once. Work that takes longer than `slowMs` moves to the troubled
 * places. So receivers that hang or have a long queue do not take the places of others.
 */
export function createSlots() {
  const used = { prompt: 0, troubled: 0 }
  return {
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
