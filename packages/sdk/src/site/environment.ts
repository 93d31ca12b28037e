/** A variable of the environment, where the runtime has one. Empty counts as not set. */
export const readVariable = (name: string): string | undefined =>
  globalThis.process?.env?.[name]?.trim() || undefined
