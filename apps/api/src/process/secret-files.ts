import { readFileSync } from 'node:fs'
import type { Environment } from './environment.ts'

/**
 * A value that was read, and the name of the variable it came from; or the problem of reading it. Undefined if nothing
 * is set.
 */
export type Given =
  | { readonly name: string; readonly value: string }
  | { readonly problem: string }
  | undefined

/**
 * Reads a secret from its variable, or from the file that `NAME_FILE` names. Container engines, Kubernetes, and systemd
 * provide secrets as files, because environment variables are visible to child processes and in many crash reports.
 */
export function givenSecret(name: string, env: Environment): Given {
  const [value, path] = [env[name], env[`${name}_FILE`]]
  if (!path) return value ? { name, value } : undefined
  if (value) return { problem: `${name}_FILE is set in addition to ${name}. Remove one of them.` }
  try {
    // Editors and `echo` end a file with one line break. Nothing else is removed.
    const content = readFileSync(path, 'utf8').replace(/\r?\n$/, '')
    if (content === '') return { problem: `${name}_FILE names an empty file. Write the secret to it.` }
    return { name: `${name}_FILE`, value: content }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return {
      problem: `${name}_FILE names a file that cannot be read (${code}). Correct the path, or let this user read it.`,
    }
  }
}
