import type { ChatEvent } from '#chat/chat-gateway'

/** More than this cannot be caught up with: reading everything anew is quicker, and bounded. */
const mostWaiting = 50_000

/** Events in their order between the connection and the database. */
export function createEventQueue() {
  let waiting: ChatEvent[] = []

  return {
    /** False when there are too many: all of them are forgotten. */
    push(event: ChatEvent): boolean {
      if (waiting.length >= mostWaiting) {
        waiting = []
        return false
      }
      waiting.push(event)
      return true
    },
    /** The first ones, out of the queue and into the caller's hands. */
    take: (count: number): ChatEvent[] => waiting.splice(0, count),
    size: () => waiting.length,
  }
}
