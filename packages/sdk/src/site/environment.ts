/** Returns an environment variable. Undefined if it is unset or empty, or if the runtime has no environment. */
export const readVariable = (name: string): string | undefined =>
  globalThis.process?.env?.[name]?.trim() || undefined
