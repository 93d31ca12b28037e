/** What is used of React, so that its types are no dependency. */
declare module 'react' {
  export function useSyncExternalStore<Value>(
    subscribe: (onChange: () => void) => () => void,
    current: () => Value,
    onServer: () => Value,
  ): Value
}
