import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'

/** A code block of a Markdown page. */
export interface Fence {
  readonly language: string
  readonly text: string
}

export const fencesOf = (markdown: string): Fence[] =>
  [...markdown.matchAll(/^( *)```(\w+)\n([\s\S]*?)^ *```$/gm)].map(
    ([, indent = '', language = '', text = '']) => ({
      language,
      text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  )

/** Opens a shell, in which the variables and the folder that one block sets also apply to the next block. */
export function openShell(cwd: string) {
  const child = spawn('bash', ['--noprofile', '--norc'], { cwd, stdio: ['pipe', 'pipe', 'pipe'] })
  let output = ''
  let grown = () => {}
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
      grown()
    })
  }
  const mark = `end-${randomUUID()}`
  const end = new RegExp(`${mark} (\\d+)\\n`)
  child.once('exit', () => grown())
  return {
    /** Returns the output so far of the block that is running. */
    output: () => output,
    /** Runs a block as if it were pasted, and returns its output. */
    async run(block: string): Promise<string> {
      output = ''
      child.stdin.write(`{\n${block}\n} </dev/null 2>&1\necho ${mark} $?\n`)
      while (!end.test(output)) {
        if (child.exitCode !== null) throw new Error(`The shell has ended:\n${output}`)
        await new Promise<void>((resolve) => {
          grown = resolve
        })
      }
      const [, status] = end.exec(output) ?? []
      const said = output.replace(end, '')
      if (status !== '0') throw new Error(`${block}\nended with ${status}:\n${said}`)
      return said
    },
    async close() {
      child.stdin.end()
      if (child.exitCode === null) await once(child, 'exit')
    },
  }
}
