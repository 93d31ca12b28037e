/** The longest value of a path parameter; beyond it nothing is found. */
export const maxParamLength = 256

/** Remembers which methods each path takes, to answer 405 where a path is known and its method is not. */
export function createAllowedMethods() {
  const templates = new Map<string, { segments: string[]; methods: Set<string> }>()
  return {
    /** `path` as the contract writes it: `/api/auth/sessions/{sessionId}`. */
    add(path: string, methods: readonly string[]) {
      const known = templates.get(path) ?? { segments: path.split('/'), methods: new Set() }
      for (const method of methods) known.methods.add(method)
      templates.set(path, known)
    },
    /** The methods of an address, for the Allow header; empty where there is nothing. */
    of(url: string): string[] {
      const segments = (url.split('?', 1)[0] ?? '').split('/')
      const found = new Set<string>()
      for (const template of templates.values()) {
        if (fits(template.segments, segments)) for (const method of template.methods) found.add(method)
      }
      return [...found].sort()
    },
  }
}

const fits = (template: readonly string[], segments: readonly string[]) =>
  template.length === segments.length &&
  template.every((part, i) => {
    const segment = segments[i] ?? ''
    return part.startsWith('{') ? segment !== '' && segment.length <= maxParamLength : part === segment
  })
