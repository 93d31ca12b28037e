/**
 * Delays the creation of a value until its first use. Returns a function that always returns the same value.
 *
 * Frameworks load the modules of an app during its build, when the environment variables are missing.
 */
export function lazily<Value>(make: () => Value): () => Value {
  let created: { readonly value: Value } | undefined
  return () => {
    created ??= { value: make() }
    return created.value
  }
}
