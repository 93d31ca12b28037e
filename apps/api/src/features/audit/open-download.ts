import { createDownloadLimit } from '#platform/limit-downloads'
import type { Deps, OpenDownload } from '../../deps.ts'

/**
 * The first page is read before the entry is written: an outage leaves none, and a file of the audit log does not
 * hold the entry about itself. The entry is written before that page goes out.
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
  // A file without rows is an answer, too.
  if (!isRecorded) await record()
}
