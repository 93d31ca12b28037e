import { createHash, randomBytes } from 'node:crypto'

/** All fields of an entry that its hash covers. */
export interface HashedEntry {
  readonly seq: number
  readonly id: string
  readonly at: string
  readonly actorId: string | null
  readonly actorUsername: string | null
  readonly actionType: string
  readonly action: string
  readonly severity: string
  readonly targetType: string | null
  readonly targetId: string | null
  readonly targetName: string | null
  readonly summary: string | null
  readonly changes: string | null
  readonly ip: string | null
  readonly requestId: string | null
}

/** The fields of an entry that may be personal, in the parts that are erased whole. */
export const personalParts = {
  actor: ['actorId', 'actorUsername', 'ip'],
  target: ['targetId', 'targetName', 'changes'],
  summary: ['summary'],
} as const satisfies Readonly<Record<string, readonly (keyof HashedEntry)[]>>

export type PersonalPart = keyof typeof personalParts
export const partNames = Object.keys(personalParts) as readonly PersonalPart[]

/** A salt for each part, null once the part was erased, and the hash of salt and values. */
export type Commitments = {
  readonly [Part in PersonalPart as `${Part}Salt`]: string | null
} & { readonly [Part in PersonalPart as `${Part}Commitment`]: string }

/**
 * Commits to the parts of an entry with salts of 128 bits: without the salt, no one can test guesses of a value.
 */
export function commit(entry: HashedEntry): Commitments {
  const [actorSalt, targetSalt, summarySalt] = [newSalt(), newSalt(), newSalt()]
  return {
    actorSalt,
    actorCommitment: commitmentOf('actor', actorSalt, entry),
    targetSalt,
    targetCommitment: commitmentOf('target', targetSalt, entry),
    summarySalt,
    summaryCommitment: commitmentOf('summary', summarySalt, entry),
  }
}

const newSalt = () => randomBytes(16).toString('hex')

export const commitmentOf = (part: PersonalPart, salt: string, entry: HashedEntry): string =>
  sha256([part, salt, ...personalParts[part].map((field) => entry[field])])

/**
 * Returns the hash that binds an entry to the one before it: a change to either breaks every later hash. Personal
 * values enter it as commitments.
 */
export const hashOf = (
  previousHash: string,
  entry: HashedEntry,
  { actorCommitment, targetCommitment, summaryCommitment }: Omit<Commitments, `${PersonalPart}Salt`>,
): string =>
  sha256([
    previousHash,
    ...impersonalFields.map((field) => entry[field]),
    actorCommitment,
    targetCommitment,
    summaryCommitment,
  ])

/** Returns the hash of an entry from before there were commitments: it covers all values. */
export const plainHashOf = (previousHash: string, entry: HashedEntry): string =>
  sha256([previousHash, ...hashedFields.map((field) => entry[field])])

const sha256 = (values: readonly unknown[]) =>
  createHash('sha256').update(JSON.stringify(values)).digest('hex')

const impersonalFields = [
  'seq',
  'id',
  'at',
  'actionType',
  'action',
  'severity',
  'targetType',
  'requestId',
] as const satisfies readonly (keyof HashedEntry)[]

/** The fields in the order in which they were hashed. */
const hashedFields = [
  'seq',
  'id',
  'at',
  'actorId',
  'actorUsername',
  'actionType',
  'action',
  'severity',
  'targetType',
  'targetId',
  'targetName',
  'summary',
  'changes',
  'ip',
  'requestId',
] as const satisfies readonly (keyof HashedEntry)[]
