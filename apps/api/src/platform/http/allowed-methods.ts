/** The maximum length of a path parameter. A longer one is not found. */
export const maxParamLength = 256

/** Stores the methods of each path, to respond with 405 if a path exists and its method does not. */
export function createAllowedMethods() {
  const templates = new Map<string, { segments: string[]; methods: Set<string> }>()
  return {
    /**
     * Adds a path in the form of the contract, such as `/api/auth/sessions/{sessionId}`. A final `*` matches any rest.
     */
    add(path: string, methods: readonly string[]) {
      const known = templates.get(path) ?? { segments: path.split('/'), methods: new Set() }
      for (const method of methods) known.methods.add(method)
      templates.set(path, known)
    },
    /**
     * Returns true for the address of a path without parameters, even if it also matches a parameter of another:
     * `…/members/export`.
     */
    isPlain: (url: string): boolean => templates.has(pathOf(url)),
    /** Returns the methods of an address, for the Allow header, or none if there is no such path. */
    of(url: string): string[] {
      const plain = templates.get(pathOf(url))
      if (plain) return [...plain.methods].sort()
      const segments = pathOf(url).split('/')
      const found = new Set<string>()
      for (const template of templates.values()) {
        if (fits(template.segments, segments)) for (const method of template.methods) found.add(method)
      }
      return [...found].sort()
    },
  }
}

const pathOf = (url: string): string => url.split('?', 1)[0] ?? ''

const fits = (template: readonly string[], segments: readonly string[]) =>
  (template.at(-1) === '*' ? template.length <= segments.length : template.length === segments.length) &&
  template.every((part, i) => {
    if (part === '*') return true
    const segment = segments[i] ?? ''
    return part.startsWith('{') ? segment !== '' && segment.length <= maxParamLength : part === segment
  })
