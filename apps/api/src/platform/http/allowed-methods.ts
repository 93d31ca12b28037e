/** The maximum length of a path parameter. An address with a longer one does not exist for the service (404). */
export const maxParamLength = 256

/**
 * Collects the methods of every path, so that a request with another method gets 405 with an `Allow` header instead of
 * 404.
 */
export function createAllowedMethods() {
  const templates = new Map<string, { segments: string[]; methods: Set<string> }>()
  return {
    /**
     * Adds a path as the contract writes it, such as `/api/auth/sessions/{sessionId}`. A final `*` matches any rest of
     * the path.
     */
    add(path: string, methods: readonly string[]) {
      const known = templates.get(path) ?? { segments: path.split('/'), methods: new Set() }
      for (const method of methods) known.methods.add(method)
      templates.set(path, known)
    },
    /**
     * Returns true if the address is a path without parameters. `…/members/export` is one, although it also matches
     * `…/members/{memberId}`.
     */
    isPlain: (url: string): boolean => templates.has(pathOf(url)),
    /** Returns the methods of an address, sorted for the `Allow` header. The list is empty if there is no such path. */
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
