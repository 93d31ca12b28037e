import { downloadAnswer } from '#platform/download'
import type { Answer } from '#platform/http/answer'
import { ApiError } from '#platform/http/api-error'
import type { AdminBy } from '../../callers/callers.ts'
import type { Deps, OpenDownload } from '../../deps.ts'
import { findPersonalData, type PersonalData, streamAuditEntries } from './store.ts'

type DataDeps = Pick<Deps, 'db'> & { readonly openDownload: OpenDownload }

/** Exports everything that is stored about a person as one JSON file, for an administrator. */
export const readMemberData = (deps: DataDeps, by: AdminBy, memberId: string): Promise<Answer> =>
  readData(deps, by, memberId, {
    summaryOf: (username) => `The personal data of ${username} was downloaded.`,
    data: (data) => data,
    entry: (entry) => entry,
  })

/** Exports the same for the person, without the reasons for blocks, which are notes between administrators. */
export const readOwnData = (deps: DataDeps, by: AdminBy): Promise<Answer> =>
  readData(deps, by, by.actor.id, {
    summaryOf: (username) => `${username} downloaded their personal data.`,
    data: ({ block, ...data }) => ({ ...data, block: block && { ...block, reason: null } }),
    // Changes to other people's data, such as other owners of a project, are those people's data.
    entry: ({ changes, ...entry }) => ({
      ...entry,
      changes:
        isOfBlock(entry) || !(entry['byThemselves'] || entry['targetId'] === by.actor.id) ? null : changes,
    }),
  })

type Entry = Readonly<Record<string, unknown>>

const isOfBlock = ({ action }: Entry) => action === 'member.block' || action === 'member.unblock'

/** The reader of the file, and the parts that they receive. */
interface Reader {
  readonly summaryOf: (username: string) => string
  readonly data: (data: PersonalData) => object
  readonly entry: (entry: Entry) => object
}

/** Exports the data. The audit log can contain many entries of an admin, so it is read in pages. */
async function readData(
  { db, openDownload }: DataDeps,
  by: AdminBy,
  memberId: string,
  { summaryOf, data: shownOf, entry }: Reader,
): Promise<Answer> {
  // Without a time limit: events and messages have no index by member.
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
