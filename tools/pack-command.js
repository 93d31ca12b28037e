import { resolve } from 'node:path'
import { parseArgs } from 'node:util'

/**
 * Reads the command line of a program that packs. It accepts one folder, or none. For `--help` or wrong arguments,
 * prints a text and exits.
 *
 * @param {string} command the command as a user types it, for the help
 * @param {string} makes what the program creates, for the help
 * @param {string} fallback the folder if there is no argument
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
