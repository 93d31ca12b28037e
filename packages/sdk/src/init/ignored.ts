/**
 * Returns true if Git ignores a file. As in Git, the last matching line decides.
 *
 * Supports what can match a file such as `.env`: `*`, `?`, `!`, and a leading slash. Skips patterns that contain a
 * folder or a character class, and may therefore report an ignored file as not ignored.
 *
 * @param name the name of the file, in the innermost folder
 * @param files the texts of the ignore files, from the outermost folder to the innermost
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

/** Returns the text of an ignore file with one more line. Keeps the file's kind of line break. */
export function addIgnored(name: string, before: string): string {
  const newline = before.includes('\r\n') ? '\r\n' : '\n'
  return `${before}${before === '' || before.endsWith('\n') ? '' : newline}${name}${newline}`
}
