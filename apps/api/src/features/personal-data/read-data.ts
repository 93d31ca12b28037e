import { downloadAnswer } from '#platform/download'
import type { Answer } from '#platform/http/answer'
import { ApiError } from '#platform/http/api-error'
import type { AdminBy } from '../../callers/callers.ts'
import type { Deps, OpenDownload } from '../../deps.ts'
import { findPersonalData, type PersonalData, streamAuditEntries } from './store.ts'

type DataDeps = Pick<Deps, 'db'> & { readonly openDownload: OpenDownload }

/**
 * Exports everything that is stored about a member as one JSON file, for an administrator.
 *
 * @throws MEMBER_NOT_FOUND
 */
export const readMemberData = (deps: DataDeps, by: AdminBy, memberId: string): Promise<Answer> =>
  readData(deps, by, memberId, {
    summaryOf: (username) => `The personal data of ${username} was downloaded.`,
    data: (data) => data,
    entry: (entry) => entry,
  })

/**
 * Exports everything that is stored about the person who asks, for themselves. The file does not contain the reasons
 * for blocks, which are notes between administrators.
 *
 * @throws MEMBER_NOT_FOUND
 */
export const readOwnData = (deps: DataDeps, by: AdminBy): Promise<Answer> =>
  readData(deps, by, by.actor.id, {
    summaryOf: (username) => `${username} downloaded their personal data.`,
    data: ({ block, ...data }) => ({ ...data, block: block && { ...block, reason: null } }),
    // The changes in an entry may concern other people, such as the other owners of a project. So they are included
    // only if the person made the change or is its target.
    entry: ({ changes, ...entry }) => ({
      ...entry,
      changes:
        isOfBlock(entry) || !(entry['byThemselves'] || entry['targetId'] === by.actor.id) ? null : changes,
    }),
  })

type Entry = Readonly<Record<string, unknown>>

const isOfBlock = ({ action }: Entry) => action === 'member.block' || action === 'member.unblock'

/** The parts of the file that differ by its reader: the audit entry, and the functions that leave out parts. */
interface Reader {
  readonly summaryOf: (username: string) => string
  readonly data: (data: PersonalData) => object
  readonly entry: (entry: Entry) => object
}

/** Exports the data. The audit entries are streamed, because there may be many about an administrator. */
async function readData(
  { db, openDownload }: DataDeps,
  by: AdminBy,
  memberId: string,
  { summaryOf, data: shownOf, entry }: Reader,
): Promise<Answer> {
  // The transaction has no timeout, because events and notices have no index by member.
  const found = await db.transaction((tx) => findPersonalData(tx, memberId), { long: true })
  if (!found) throw new ApiError('MEMBER_NOT_FOUND')
  const { username, data } = found
  const event = {
    actionType: 'member',
    action: 'member.data',
    target: { type: 'member', id: memberId, name: username },
    summary: summaryOf(username),
  } as const
  const chunks = openDownload(by, event, document(shownOf(data), streamAuditEntries(db, memberId), entry))
  const kind = { extension: 'json', mediaType: 'application/json; charset=utf-8' }
  return downloadAnswer({ filename: `member-${memberId}`, kind, chunks })
}

/** Yields the JSON text of the file. */
async function* document(
  data: object,
  pages: AsyncIterable<readonly Entry[]>,
  shown: (entry: Entry) => object,
) {
  yield `${JSON.stringify(data).slice(0, -1)},"auditEntries":[`
  let glue = ''
  for await (const page of pages) {
    if (page.length === 0) continue
    yield glue + page.map((row) => JSON.stringify(shown(row))).join(',')
    glue = ','
  }
  yield ']}\n'
}
