import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'

/** Asks a question in the terminal, and returns the answer. A secret is not shown while it is typed. */
export async function ask(question: string, { isSecret = false } = {}): Promise<string> {
  let isMuted = false
  const output = new Writable({
    write(chunk, _encoding, done) {
      if (!isMuted) process.stdout.write(chunk)
      done()
    },
  })
  const terminal = createInterface({ input: process.stdin, output, terminal: true })
  terminal.once('SIGINT', () => process.exit(130))
  // The input has ended, so the person has quit.
  terminal.once('close', () => process.stdin.pause())
  try {
    const answer = terminal.question(`${question}: `)
    isMuted = isSecret
    return (await answer).trim()
  } finally {
    if (isSecret) process.stdout.write('\n')
    terminal.close()
  }
}
