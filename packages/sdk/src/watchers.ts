/** Registers callbacks for keys, and calls them when a key changes. */
export function createWatchers() {
  const watchers = new Map<string, Set<() => void>>()
  return {
    /** Registers `onChange` for each of the keys. Returns a function that removes it. */
    add(keys: readonly string[], onChange: () => void): () => void {
      for (const key of keys) watchers.set(key, (watchers.get(key) ?? new Set()).add(onChange))
      return () => {
        for (const key of keys) {
          const set = watchers.get(key)
          set?.delete(onChange)
          if (set?.size === 0) watchers.delete(key)
        }
      }
    },
    notify(key: string): void {
      for (const onChange of [...(watchers.get(key) ?? [])]) onChange()
    },
    notifyAll(): void {
      for (const onChange of new Set([...watchers.values()].flatMap((set) => [...set]))) onChange()
    },
  }
}
