/** The longest value of a path parameter; beyond it nothing is found. */
export const maxParamLength = 256

/** Remembers which methods each path takes, to answer 405 where a path is known and its method is not. */
export function createAllowedMethods() {
  const templates = new Map<string, { segments: string[]; methods: Set<string> }>()
  return {
    /** `path` as the contract writes it: `/api/auth/sessions/{sessionId}`; `*` at its end is whatever follows. */
    add(path: string, methods: readonly string[]) {
      const known = templates.get(path) ?? { segments: path.split('/'), methods: new Set() }
      for (const method of methods) known.methods.add(method)
      templates.set(path, known)
    },
    /** True for the address of a path without parameters, which is no parameter of another: `…/members/export`. */
    isPlain: (url: string): boolean => templates.has(pathOf(url)),
    /** The methods of an address, for the Allow header; empty where there is nothing. */
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
