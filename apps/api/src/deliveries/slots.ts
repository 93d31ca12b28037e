/** Receivers that one instance sends to at once, as long as they answer promptly. */
const maxPrompt = 32
/** Receivers that failed or were slow before: they wait for each other and for nothing else. */
const maxTroubled = 128
/** A client learns of a logout within a second, so no receiver keeps a place from others for longer than this. */
export const slowMs = 500

/**
 * Limits the receivers that one instance sends to at once. Work that takes longer than `slowMs` moves to the troubled
 * places, so however many receivers hang or have a long queue, the others get a place in time.
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
