import { createDownloadLimit } from '#platform/limit-downloads'
import type { Deps, OpenDownload } from '../../deps.ts'

/**
 * Creates the function that opens a download, which `OpenDownload` in `deps.ts` describes. It reads the first page,
 * writes the audit entry, and then sends the page. So a download that fails at once leaves no entry, and an export of
 * the audit log does not contain the entry about itself.
 */
export function createDownloads({ db, audit }: Pick<Deps, 'db' | 'audit'>): OpenDownload {
  const limitDownloads = createDownloadLimit()
  return (by, event, pages) =>
    limitDownloads(
      by.actor.id,
      recordedFirst(pages, () => db.transaction((tx) => audit.record(tx, { ...by, ...event }))),
    )
}

async function* recordedFirst<Page>(pages: AsyncIterable<Page>, record: () => Promise<void>) {
  let isRecorded = false
  for await (const page of pages) {
    if (!isRecorded) await record()
    isRecorded = true
    yield page
  }
  // A file without rows is a valid response, too.
  if (!isRecorded) await record()
}
