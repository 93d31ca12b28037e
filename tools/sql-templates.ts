/** A `sql` template of a source file: the texts between its values, with normalized white space. */
export interface SqlTemplate {
  readonly line: number
  readonly parts: readonly string[]
}

/** Returns all `sql` templates of a file, including nested ones. */
export function readSqlTemplates(source: string): SqlTemplate[] {
  const found: SqlTemplate[] = []
  const readCode = (from: number, end: '}' | undefined): number => {
    let depth = 0
    for (let at = from; at < source.length; at++) {
      const char = source[at]
      if (source.startsWith('//', at)) at = source.indexOf('\n', at)
      else if (source.startsWith('/*', at)) at = source.indexOf('*/', at) + 1
      else if (char === "'" || char === '"') at = endOfString(source, at)
      else if (char === '`') at = readTemplate(at)
      else if (char === '{') depth += 1
      else if (char === '}' && depth === 0 && end) return at
      else if (char === '}') depth -= 1
      if (at < 0) break
    }
    return source.length
  }
  const readTemplate = (from: number): number => {
    const parts: string[] = []
    let part = ''
    const isSql = source.slice(from - 3, from) === 'sql'
    let at = from + 1
    for (; at < source.length && source[at] !== '`'; at++) {
      if (source.startsWith('${', at)) {
        at = readCode(at + 2, '}')
        parts.push(part)
        part = ''
      } else {
        if (source[at] === '\\') at += 1
        part += source[at]
      }
    }
    parts.push(part)
    if (isSql) found.push({ line: source.slice(0, from).split('\n').length, parts: parts.map(squeeze) })
    return at
  }
  readCode(0, undefined)
  return found
}

const squeeze = (text: string) => text.replace(/\s+/g, ' ').trim()

function endOfString(source: string, from: number): number {
  let at = from + 1
  while (at < source.length && source[at] !== source[from]) at += source[at] === '\\' ? 2 : 1
  return at
}

/** Returns true if a normalized statement contains all parts of a template, in their order. */
export function contains(statement: string, { parts }: SqlTemplate): boolean {
  let at = 0
  for (const part of parts) {
    const found = statement.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return true
}
