import { verifyChain } from '#audit/verify-chain'
import { schemaState } from '#platform/db/migrate'
import { StartRefused } from '../process/start-refused.ts'
import { withDatabase } from './with-database.ts'

const whileRunning = {
  whileRunning:
    'verify the log there instead: in the console under Audit, or with POST /api/admin/audit/chain/verify',
}
const progressEvery = 10_000
const grouped = (count: number) => count.toLocaleString('en')

/** Verifies the audit log, and prints the result. Exits with 1 if an entry was changed or removed. */
export async function auditVerifyCommand(): Promise<void> {
  const report = await withDatabase(async (db) => {
    if ((await schemaState(db)).pending.length > 0) {
      throw new StartRefused('The database is not up to date. Run `rolecall migrate` first.')
    }
    return verifyChain({ db }, showProgress())
  }, whileRunning)
  if (report.problem) {
    throw new StartRefused(
      `BROKEN  ${report.problem}\nThe ${grouped(report.entries)} entries before it are intact.`,
    )
  }
  const { letGo = 0, erased = 0 } = report
  const details = [
    ...(letGo > 0 ? [`The ${grouped(letGo)} earlier entries were deleted.`] : []),
    ...(erased > 0 ? [`Personal values of ${grouped(erased)} entries were erased.`] : []),
  ]
  console.log(
    [
      `ok  ${grouped(report.entries)} entries, unbroken.`,
      ...details,
      `The last hash is ${report.hash}.`,
    ].join(' '),
  )
}

/** Prints the progress to stderr, so that only the result is on stdout. */
function showProgress() {
  let shown = 0
  return (entries: number) => {
    if (entries - shown < progressEvery) return
    shown = entries
    process.stderr.write(`${grouped(entries)} entries checked\n`)
  }
}
