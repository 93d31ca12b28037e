/** Prints the description of a program and exits, if the program was started with `--help` or `-h`. */
export function help(text: string): void {
  if (!process.argv.slice(2).some((word) => word === '--help' || word === '-h')) return
  console.log(text.trim())
  process.exit(0)
}
