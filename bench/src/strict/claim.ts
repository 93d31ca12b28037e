/**
 * The judgement of a response. Two are defects: `stale` (an ended fact was confirmed) and `lost` (a live one was
 * denied).
 */
export type Judgement = 'accepted' | 'refused' | 'stale' | 'lost' | 'changed meanwhile' | 'unanswered'

/**
 * A fact that responses must agree with, such as a live session. It is `ending` or `starting` from the request that
 * changes it until the acknowledgement of that request. Meanwhile, both responses are right.
 */
export class Claim {
  #state: 'live' | 'ending' | 'ended' | 'starting' = 'live'
  #changes = 0

  /** Call it when a request is sent. Returns a function that judges the response: confirmed, denied, or undefined. */
  asked(): (answer: boolean | undefined) => Judgement {
    const [state, changes] = [this.#state, this.#changes]
    return (answer) => {
      if (answer === undefined) return 'unanswered'
      if (state === 'ending' || state === 'starting' || this.#changes !== changes) return 'changed meanwhile'
      if (state === 'ended') return answer ? 'stale' : 'refused'
      return answer ? 'accepted' : 'lost'
    }
  }

  /** Sets the state. Call it before the request that makes a change, and again after its acknowledgement. */
  become(state: 'live' | 'ending' | 'ended' | 'starting'): void {
    this.#state = state
    this.#changes += 1
  }
}
