import { fieldsOf, type memberLists } from '@rolecall/contract'
import { filterText } from '#audit/filter-text'
import { type CsvColumn, csvAnswer } from '#platform/csv'
import { downloadAnswer } from '#platform/download'
import type { Answer } from '#platform/http/answer'
import type { Deps, DownloadEvent, OpenDownload } from '../../deps.ts'
import { type ExportRow, listExportRows } from './lists-store.ts'
import { exportedIds, type MemberFilters } from './pages-store.ts'

/** The number of members that an export reads at once, so that other requests wait only briefly. */
const membersPerPage = 100

interface ExportDeps {
  readonly openDownload: OpenDownload
}

/** Exports the members that match the filters as a JSON or CSV file, with one row for each membership in a server. */
export function exportMembers(
  { db, openDownload }: Pick<Deps, 'db'> & ExportDeps,
  by: Parameters<OpenDownload>[0],
  { format = 'json', ...filters }: memberLists.MemberExportQuery,
): Promise<Answer> {
  const rows = openDownload(by, exportEvent(format, filters), pagesOfRows(db, filters))
  if (format === 'csv') return csvAnswer({ filename: 'members', columns, rows })
  const kind = { extension: 'json', mediaType: 'application/json; charset=utf-8' }
  return downloadAnswer({ filename: 'members', kind, chunks: jsonArray(rows) })
}

/**
 * Yields the rows of the file, page by page. A cursor in the database determines the IDs and their order at the
 * beginning. The rows of each page are read by ID when the page is due. So a membership that exists from the beginning
 * to the end is in the file exactly once, and a slow client occupies only one connection of the pool for long work.
 */
async function* pagesOfRows(db: Deps['db'], filters: MemberFilters) {
  for await (const page of db.stream<{ id: string }>(exportedIds(filters), membersPerPage)) {
    yield await listExportRows(
      db,
      filters,
      page.map(({ id }) => id),
    )
  }
}

const exportEvent = (format: string, filters: MemberFilters): DownloadEvent => ({
  actionType: 'member',
  action: 'member.export',
  summary: `Members were downloaded as ${format}: ${filterText(filters)}.`,
})

const columns: readonly CsvColumn<ExportRow>[] = [
  { header: 'memberId', value: ({ memberId }) => memberId },
  ...fieldsOf('memberExport').map((name) => ({ header: name, value: (row: ExportRow) => row[name] })),
  { header: 'isClubMember', value: ({ isClubMember }) => isClubMember },
  { header: 'serverId', value: ({ serverId }) => serverId },
  { header: 'serverName', value: ({ serverName }) => serverName },
  { header: 'isMainServer', value: ({ isMainServer }) => isMainServer },
  { header: 'roleNames', value: ({ roleNames }) => roleNames.join('; ') },
  { header: 'joinedAt', value: ({ joinedAt }) => joinedAt },
]

/** Yields the text of a JSON array, with one row per line. */
async function* jsonArray(pages: AsyncIterable<readonly unknown[]>): AsyncGenerator<string, void, void> {
  let before = '[\n'
  for await (const page of pages) {
    if (page.length === 0) continue
    yield before + page.map((row) => JSON.stringify(row)).join(',\n')
    before = ',\n'
  }
  yield before === '[\n' ? '[]\n' : '\n]\n'
}
