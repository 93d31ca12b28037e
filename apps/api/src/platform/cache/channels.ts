type Listener = (message: string) => void

/** The listeners of each channel in this process. */
export class Channels {
  readonly #listeners = new Map<string, Set<Listener>>()

  names(): string[] {
    return [...this.#listeners.keys()]
  }

  has(channel: string): boolean {
    return this.#listeners.has(channel)
  }

  /**
   * Adds a listener, and returns the function that removes it. If the same listener is added twice, each returned
   * function removes one of the two.
   */
  add(channel: string, listener: Listener): () => void {
    const own: Listener = (message) => listener(message)
    const listeners = this.#listeners.get(channel) ?? new Set()
    this.#listeners.set(channel, listeners.add(own))
    return () => {
      listeners.delete(own)
      if (listeners.size === 0 && this.#listeners.get(channel) === listeners) this.#listeners.delete(channel)
    }
  }

  deliver(channel: string, message: string): void {
    for (const listener of this.#listeners.get(channel) ?? []) listener(message)
  }

  clear(): void {
    this.#listeners.clear()
  }
}
