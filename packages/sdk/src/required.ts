type Arguments = Readonly<Record<string, unknown>>

/**
 * Checks that every argument is present before a call is sent. The types require the same, but values from environment
 * variables bypass them. Empty text is left to the service, because a visitor may have sent it.
 *
 * @throws TypeError that names every missing argument
 */
export function required(given: Arguments): void {
  refuse(given, (value) => value === undefined || value === null)
}

/**
 * Checks the arguments that configure a program or are part of an address. Here, empty text is missing, too.
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
