import { readFileSync } from 'node:fs'
import type { Environment } from './environment.ts'

/** What an environment says of a variable, and by which name; undefined when nothing. */
export type Given =
  | { readonly name: string; readonly value: string }
  | { readonly problem: string }
  | undefined

/**
 * The value of a secret: of its variable, or of the file that `NAME_FILE` names, as container engines, Kubernetes and
 * systemd hand secrets over. What is in an environment is seen by every child and in many a report of a crash.
 */
export function givenSecret(name: string, env: Environment): Given {
  const [value, path] = [env[name], env[`${name}_FILE`]]
  if (!path) return value ? { name, value } : undefined
  if (value) return { problem: `${name}_FILE is set beside ${name}: remove one of them.` }
  try {
    // Editors and `echo` end a file with a line break; nothing else is taken off.
    const content = readFileSync(path, 'utf8').replace(/\r?\n$/, '')
    if (content === '') return { problem: `${name}_FILE names an empty file: write the secret into it.` }
    return { name: `${name}_FILE`, value: content }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return {
      problem: `${name}_FILE names a file that cannot be read (${code}): correct the path, or let this user read it.`,
    }
  }
}
