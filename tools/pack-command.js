import { resolve } from 'node:path'
import { parseArgs } from 'node:util'

/**
 * Reads the command line of a program that packs: one folder, or none. Prints help or the mistake, and ends the process,
 * where there is nothing to pack.
 *
 * @param {string} command the command as a user types it
 * @param {string} makes what the program makes
 * @param {string} fallback the folder without an argument
 * @returns {string} the folder for the package
 */
export function readDestination(command, makes, fallback) {
  const usage = `Usage: ${command} [FOLDER]\n\nMakes ${makes} in FOLDER (${fallback} by default) and prints the path of the file.`
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { help: { type: 'boolean', short: 'h' } },
    })
    if (values.help) {
      console.log(usage)
      process.exit(0)
    }
    if (positionals.length > 1) throw new Error('Name one folder at most.')
    return resolve(positionals[0] ?? fallback)
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${usage}`)
    process.exit(2)
  }
}
