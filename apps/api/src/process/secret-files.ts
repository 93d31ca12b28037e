import { readFileSync } from 'node:fs'
import type { Environment } from './environment.ts'

/** The value of a variable in an environment, and the name it was read under; undefined if it is not set. */
export type Given =
  | { readonly name: string; readonly value: string }
  | { readonly problem: string }
  | undefined

/**
 * Returns the value of a secret: from its variable, or from the file that `NAME_FILE` names, as container engines,
 * Kubernetes and systemd pass secrets. Values in an environment are visible to every child process, and in many
 * crash reports.
 */
export function givenSecret(name: string, env: Environment): Given {
  const [value, path] = [env[name], env[`${name}_FILE`]]
  if (!path) return value ? { name, value } : undefined
  if (value) return { problem: `${name}_FILE is set in addition to ${name}. Remove one of them.` }
  try {
    // Editors and `echo` end a file with a line break; no other character is removed.
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
