import { createHash } from 'node:crypto'

/** Everything of an entry that its hash covers, in the order in which it is hashed. */
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
  readonly summary: string
  readonly changes: string | null
  readonly ip: string | null
  readonly requestId: string | null
}

/** Binds an entry to the one before it: whoever changes either breaks every later hash. */
export const hashOf = (previousHash: string, entry: HashedEntry) =>
  createHash('sha256')
    .update(JSON.stringify([previousHash, ...hashedFields.map((field) => entry[field])]))
    .digest('hex')

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
