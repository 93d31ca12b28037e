/** `stale` and `lost` are wrong: an ended fact was confirmed, or a live one was denied. */
export type Judgement = 'accepted' | 'refused' | 'stale' | 'lost' | 'changed meanwhile' | 'unanswered'

/**
 * A fact that answers depend on, such as a session. `ending` and `starting` last from the request that changes it until
 * its acknowledgement: then both answers are right.
 */
export class Claim {
  #state: 'live' | 'ending' | 'ended' | 'starting' = 'live'
  #changes = 0

  /** Remembers the state at which a request is sent. The returned function judges its answer. */
  asked(): (answer: boolean | undefined) => Judgement {
    const [state, changes] = [this.#state, this.#changes]
    return (answer) => {
      if (answer === undefined) return 'unanswered'
      if (state === 'ending' || state === 'starting' || this.#changes !== changes) return 'changed meanwhile'
      if (state === 'ended') return answer ? 'stale' : 'refused'
      return answer ? 'accepted' : 'lost'
    }
  }

  /** Notes the next step: before the request that makes a change, and after its acknowledgement. */
  become(state: 'live' | 'ending' | 'ended' | 'starting'): void {
    this.#state = state
    this.#changes += 1
  }
}
