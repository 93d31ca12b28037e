type Arguments = Readonly<Record<string, unknown>>

/**
 * Checks that every argument is present before a call is sent. TypeScript requires the arguments, too, but cannot check
 * a value that a program reads at run time. Empty text passes, because a visitor may have sent it. The service rejects
 * it.
 *
 * @throws TypeError that names every missing argument
 */
export function required(values: Arguments): void {
  refuse(values, (value) => value === undefined || value === null)
}

/**
 * Checks the arguments that configure a program, or that become part of a URL. For these, empty text counts as missing.
 *
 * @throws TypeError that names every missing argument
 */
export function requiredText(given: Arguments): void {
  refuse(given, (value) => value === undefined || value === null || value === '')
}

function refuse(given: Arguments, isMissing: (value: unknown) => boolean) {
  const missing = Object.keys(given).filter((name) => isMissing(given[name]))
  if (missing.length > 0) throw new TypeError(`${missing.map((name) => `${name} is missing`).join(', ')}.`)
}
