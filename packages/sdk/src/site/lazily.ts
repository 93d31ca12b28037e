/** Makes something when it is first needed: builds load the modules of an app where its environment is not set. */
export function lazily<Made>(make: () => Made): () => Made {
  let made: { readonly value: Made } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
