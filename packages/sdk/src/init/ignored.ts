/**
 * Returns true if ignore files, from the outermost to the innermost folder, match a file of the innermost folder. The
 * last matching line decides.
 */
export function isIgnored(name: string, files: readonly string[]): boolean {
  let ignored = false
  files.forEach((text, i) => {
    const isOwn = i === files.length - 1
    for (const line of text.split(/\r?\n/)) {
      const [, not = '', anchor = '', pattern = ''] = /^(!?)(\/?|\*\*\/)(.*?)\s*$/.exec(line) ?? []
      if (pattern === '' || pattern.startsWith('#') || /[/[\]\\]/.test(pattern)) continue
      if ((anchor !== '/' || isOwn) && matches(name, pattern)) ignored = not === ''
    }
  })
  return ignored
}

const matches = (name: string, pattern: string) =>
  new RegExp(
    `^${pattern
      .replace(/[.+^${}()|]/g, '\\$&')
      .replace(/\*+/g, '.*')
      .replace(/\?/g, '.')}$`,
  ).test(name)

/** Returns the text of an ignore file with an added name. */
export function addIgnored(name: string, before: string): string {
  const newline = before.includes('\r\n') ? '\r\n' : '\n'
  return `${before}${before === '' || before.endsWith('\n') ? '' : newline}${name}${newline}`
}
