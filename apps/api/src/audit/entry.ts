import { createHash, randomBytes } from 'node:crypto'

/** Everything of an entry that its hash covers. */
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

/** What of an entry may be personal, in the parts that are erased whole. */
export const personalParts = {
  actor: ['actorId', 'actorUsername', 'ip'],
  target: ['targetId', 'targetName', 'changes'],
  summary: ['summary'],
} as const satisfies Readonly<Record<string, readonly (keyof HashedEntry)[]>>

export type PersonalPart = keyof typeof personalParts
export const partNames = Object.keys(personalParts) as readonly PersonalPart[]

/** Of each part a salt, null once it was erased, and the hash of salt and values. */
export type Commitments = {
  readonly [Part in PersonalPart as `${Part}Salt`]: string | null
} & { readonly [Part in PersonalPart as `${Part}Commitment`]: string }

/** Salts of 128 bits: without one nobody can try which value was meant. */
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

/** Binds an entry to the one before it: whoever changes either breaks every later hash. Of what is personal it covers commitments. */
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

/** The same of entries from before there were commitments: their hash covers all values. */
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

/** In the order in which they were hashed. */
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
