import { randomBytes } from 'node:crypto'
import { CannotInit } from './cannot-init.ts'

/** The variables that `createRolecall()` reads, in the order of writing. */
export const variableNames = [
  'ROLECALL_URL',
  'ROLECALL_CLIENT_ID',
  'ROLECALL_SERVER_ID',
  'ROLECALL_APP_URL',
  'ROLECALL_API_KEY',
  'ROLECALL_SECRET',
] as const

/** The name of a variable that `createRolecall()` reads. */
export type VariableName = (typeof variableNames)[number]
/** The known values of variables. */
export type Values = Partial<Record<VariableName, string>>

/** The variables with a value that must never be printed. */
export const secretNames: readonly string[] = ['ROLECALL_API_KEY', 'ROLECALL_SECRET']

/** The comment that the file gets above each variable. */
export const meanings: Readonly<Record<VariableName, string>> = {
  ROLECALL_URL: 'The address of Rolecall for browsers.',
  ROLECALL_CLIENT_ID: 'The ID of the project. Copy it from Projects in the console.',
  ROLECALL_SERVER_ID: 'The ID of the Discord server for sign-in. Copy it from Servers in the console.',
  ROLECALL_APP_URL: 'The address of this app for browsers.',
  ROLECALL_API_KEY: 'The key of the project: rck_…. A secret.',
  ROLECALL_SECRET: 'Encrypts the cookies of this app. A secret; use a different one in each environment.',
}

const isAddress = (value: string) => /^https?:\/\/[^\s"'#?\\]+$/.test(value) && isUrl(value)
const isOrigin = (value: string) => isAddress(value) && new URL(value).pathname === '/'
const isWord = (value: string) => /^[\w-]+$/.test(value)

const rules: Readonly<Record<VariableName, readonly [isRight: (value: string) => boolean, rule: string]>> = {
  ROLECALL_URL: [
    (value) => isAddress(value) && !/\/api\/*$/.test(value),
    'must be an address that begins with https:// or http://, without /api at its end',
  ],
  ROLECALL_CLIENT_ID: [isWord, 'must be letters, digits, - and _'],
  ROLECALL_SERVER_ID: [(value) => /^\d{15,20}$/.test(value), 'must be a snowflake: 15 to 20 digits'],
  ROLECALL_APP_URL: [isOrigin, 'must be an address without a path, such as https://crew.example'],
  ROLECALL_API_KEY: [(value) => /^rck_[\w-]+$/.test(value), 'must begin with rck_'],
  ROLECALL_SECRET: [
    (value) => /^[^\s"'#]{32,}$/.test(value),
    'must have at least 32 characters and no spaces',
  ],
}

/** Lists the invalid values by name, without the values themselves. */
export const complaintsAbout = (values: Values): { readonly name: VariableName; readonly rule: string }[] =>
  variableNames.flatMap((name) => {
    const value = values[name]
    const [isRight, rule] = rules[name]
    return value === undefined || isRight(value) ? [] : [{ name, rule }]
  })

/**
 * Checks values before they are written.
 *
 * @throws CannotInit that names the invalid variable, but not its value
 */
export function checkValues(values: Values): void {
  const [first] = complaintsAbout(values)
  if (first) throw new CannotInit(`${first.name} ${first.rule}.`)
}

/** Returns a new secret for `ROLECALL_SECRET`: 256 random bits as hexadecimal digits. */
export const mintSecret = (): string => randomBytes(32).toString('hex')

function isUrl(value: string): boolean {
  try {
    return new URL(value).host !== ''
  } catch {
    return false
  }
}
