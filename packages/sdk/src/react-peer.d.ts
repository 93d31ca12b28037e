/** The parts of React that are used here, so that its types are no dependency. */
declare module 'react' {
  export function useSyncExternalStore<Value>(
    subscribe: (onChange: () => void) => () => void,
    current: () => Value,
    onServer: () => Value,
  ): Value
}
