type Arguments = Readonly<Record<string, unknown>>

/**
 * Names every argument that is missing, rather than sending a call without it. Types say the same, but what is read from
 * an environment gets past them. Empty text is left to the service, because it may be what a stranger sent.
 *
 * @throws TypeError
 */
export function required(given: Arguments): void {
  refuse(given, (value) => value === undefined || value === null)
}

/** The same for what configures a program or is part of an address: empty text is missing, too. */
export function requiredText(given: Arguments): void {
  refuse(given, (value) => value === undefined || value === null || value === '')
}

function refuse(given: Arguments, isMissing: (value: unknown) => boolean) {
  const missing = Object.keys(given).filter((name) => isMissing(given[name]))
  if (missing.length > 0) throw new TypeError(`${missing.map((name) => `${name} is missing`).join(', ')}.`)
}
