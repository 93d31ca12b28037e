import type { memberLists } from '@rolecall/contract'
import { type CsvColumn, csvAnswer } from '#platform/csv'
import { downloadAnswer } from '#platform/download'
import type { Answer } from '#platform/http/answer'
import type { LimitDownloads } from '#platform/limit-downloads'
import type { Deps } from '../../deps.ts'
import type { AdminCaller } from '../callers.ts'
import { type ExportRow, exportStatement } from './lists-store.ts'

const rowsPerPage = 500

interface Needs {
  /** Lets an admin read so many files at once, and no more. */
  readonly limitDownloads: LimitDownloads
}

/** The memberships of the list as a file, read from one snapshot while it is sent. */
export function exportMembers(
  { db, limitDownloads }: Pick<Deps, 'db'> & Needs,
  caller: AdminCaller,
  { format, ...filters }: memberLists.MemberExportQuery,
): Promise<Answer> {
  const rows = limitDownloads(caller.id, db.stream<ExportRow>(exportStatement(filters), rowsPerPage))
  if (format === 'csv') return csvAnswer({ filename: 'members', columns, rows })
  const kind = { extension: 'json', mediaType: 'application/json; charset=utf-8' }
  return downloadAnswer({ filename: 'members', kind, chunks: jsonArray(rows) })
}

const columns: readonly CsvColumn<ExportRow>[] = [
  { header: 'memberId', value: ({ memberId }) => memberId },
  { header: 'username', value: ({ username }) => username },
  { header: 'globalName', value: ({ globalName }) => globalName },
  { header: 'displayName', value: ({ displayName }) => displayName },
  { header: 'isClubMember', value: ({ isClubMember }) => isClubMember },
  { header: 'serverId', value: ({ serverId }) => serverId },
  { header: 'serverName', value: ({ serverName }) => serverName },
  { header: 'isMainServer', value: ({ isMainServer }) => isMainServer },
  { header: 'roleNames', value: ({ roleNames }) => roleNames.join('; ') },
  { header: 'joinedAt', value: ({ joinedAt }) => joinedAt },
]

/** One array, valid also when it is empty, a row a line. */
async function* jsonArray(pages: AsyncIterable<readonly unknown[]>): AsyncGenerator<string, void, void> {
  let before = '[\n'
  for await (const page of pages) {
    if (page.length === 0) continue
    yield before + page.map((row) => JSON.stringify(row)).join(',\n')
    before = ',\n'
  }
  yield before === '[\n' ? '[]\n' : '\n]\n'
}
