/** Prints the description of a program and ends it, if `--help` is given. */
export function help(text: string): void {
  if (!process.argv.slice(2).some((word) => word === '--help' || word === '-h')) return
  console.log(text.trim())
  process.exit(0)
}
