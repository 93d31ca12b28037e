import { createHash, randomBytes } from 'node:crypto'

/** The fields of an entry that its hash covers. */
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

/** The fields of an entry that may be personal data. They form three parts, and each part is erased as a whole. */
export const personalParts = {
  actor: ['actorId', 'actorUsername', 'ip'],
  target: ['targetId', 'targetName', 'changes'],
  summary: ['summary'],
} as const satisfies Readonly<Record<string, readonly (keyof HashedEntry)[]>>

export type PersonalPart = keyof typeof personalParts
export const partNames = Object.keys(personalParts) as readonly PersonalPart[]

/**
 * For each part: a random salt, which is null after an erasure, and the hash of the salt and the values. The hash of
 * the entry covers only these commitments. So the values can be erased, and the chain remains verifiable.
 */
export type Commitments = {
  readonly [Part in PersonalPart as `${Part}Salt`]: string | null
} & { readonly [Part in PersonalPart as `${Part}Commitment`]: string }

/**
 * Creates the commitments of an entry, with salts of 128 bits. Without the salt, an erased value cannot be found by
 * trying guesses.
 */
export function createCommitments(entry: HashedEntry): Commitments {
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

/** Returns the commitment to one part of an entry: the hash of its salt and values. */
export const commitmentOf = (part: PersonalPart, salt: string, entry: HashedEntry): string =>
  sha256([part, salt, ...personalParts[part].map((field) => entry[field])])

/**
 * Returns the hash of an entry. It covers the hash of the previous entry, so a change to any entry breaks all later
 * hashes. Personal values are covered through their commitments.
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

/** Returns the hash of an entry that is older than commitments. It covers all values directly. */
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
export const hashedFields = [
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
