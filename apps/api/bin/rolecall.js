#!/usr/bin/env node
import { existsSync } from 'node:fs'

if (!existsSync(new URL('../dist/main.js', import.meta.url))) {
  const { buildOnce } = await import('../../../tools/build-once.js')
  await buildOnce()
}
/** Without room for another file, Node.js takes the manifest of a package for missing. */
const isManifestUnread = ({ code }) =>
  code === 'ERR_MODULE_NOT_FOUND' && Number(process.report.getReport().userLimits?.open_files?.soft) < 256

await import('../dist/main.js').catch(async (error) => {
  // The program has the same sentence for it; this is before it is loaded.
  const { isTooManyFiles, tooManyFiles } = await import('../dist/platform/too-many-files.js')
  if (!isTooManyFiles(error) && !isManifestUnread(error)) throw error
  console.error(tooManyFiles)
  process.exit(1)
})
