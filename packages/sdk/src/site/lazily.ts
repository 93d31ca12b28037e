/**
 * Delays the creation of a value until its first use, because builds load the modules of an app without its
 * environment.
 */
export function lazily<Value>(make: () => Value): () => Value {
  let created: { readonly value: Value } | undefined
  return () => {
    created ??= { value: make() }
    return created.value
  }
}
