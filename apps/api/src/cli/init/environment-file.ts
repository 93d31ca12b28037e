import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { type Variable, variables } from '../../config.ts'
import type { Environment } from '../../process/environment.ts'
import { StartRefused } from '../../process/start-refused.ts'

/** Refuses to overwrite an existing file: it contains the keys without which the stored secrets cannot be decrypted. */
export function refuseExisting(path: string) {
  if (!existsSync(path)) return
  throw new StartRefused(
    `${path} already exists, and its keys may be in use. Move it, or choose another file with --output.`,
  )
}

/**
 * Writes the configuration as lines `NAME=value` without quotes. `.env` files, compose (`env_file`), systemd
 * (`EnvironmentFile`), and `docker --env-file` all read that format. Only the owner can read the file.
 */
export async function writeEnvironment(
  path: string,
  values: Environment,
  extra: Readonly<Record<string, string>>,
) {
  const all = Object.values<Variable>(variables)
  const groups = [...new Set(all.map(({ group }) => group))]
  const parts = groups.flatMap((group) => {
    const lines = all.flatMap((one) => {
      const value = values[one.name]
      return one.group === group && value
        ? [`# ${one.meaning.replaceAll('`', '')}`, `${one.name}=${value}`]
        : []
    })
    return lines.length > 0 ? [[`# ${group}`, '', ...lines].join('\n')] : []
  })
  const own = Object.entries({ NODE_ENV: values['NODE_ENV'] ?? '', ...extra }).flatMap(([name, value]) =>
    value ? [`${name}=${value}`] : [],
  )
  const head =
    '# Written by `rolecall init`. Keep a copy of the two encryption keys elsewhere: no database backup contains them.'
  try {
    await writeFile(path, `${[head, ...own, '', parts.join('\n\n')].join('\n')}\n`, {
      mode: 0o600,
      flag: 'wx',
    })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new StartRefused(`${path} cannot be written (${code}). Choose another file with --output.`)
  }
}
