/** Who waits for something to change, by the keys of what they wait for. */
export function createWatchers() {
  const watchers = new Map<string, Set<() => void>>()
  return {
    /** Calls back at each change until the function that it returns is called. */
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
    tell(key: string): void {
      for (const onChange of [...(watchers.get(key) ?? [])]) onChange()
    },
    tellAll(): void {
      for (const onChange of new Set([...watchers.values()].flatMap((set) => [...set]))) onChange()
    },
  }
}
