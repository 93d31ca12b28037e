import { createDownloadLimit } from '#platform/limit-downloads'
import type { Deps, OpenDownload } from '../../deps.ts'

/**
 * Reads the first page before the entry is written. So an outage leaves no entry, and a file of the audit log does not
 * contain the entry about itself. The entry is written before that page is sent.
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
