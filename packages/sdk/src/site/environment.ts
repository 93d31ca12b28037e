/** Returns a variable of the environment, if the runtime has one. An empty value counts as unset. */
export const readVariable = (name: string): string | undefined =>
  globalThis.process?.env?.[name]?.trim() || undefined
