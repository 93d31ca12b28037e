/** Says what a program does and ends it, where `--help` asks for that. */
export function help(text: string): void {
  if (!process.argv.slice(2).some((word) => word === '--help' || word === '-h')) return
  console.log(text.trim())
  process.exit(0)
}
