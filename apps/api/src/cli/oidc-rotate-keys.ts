import { schemaState } from '#platform/db/migrate'
import { rotateSigningKeys } from '../features/oidc/signing-keys.ts'
import { StartRefused } from '../process/start-refused.ts'
import { withDatabase } from './with-database.ts'

/**
 * Creates a new signing key. It is published immediately, and begins to sign after an hour. By then, relying parties
 * have fetched it.
 */
export async function oidcRotateKeysCommand(): Promise<void> {
  const kid = await withDatabase(async (db, config) => {
    if ((await schemaState(db)).pending.length > 0) {
      throw new StartRefused('The database is not up to date. Run `rolecall migrate` first.')
    }
    if (!config.outboundKey) {
      throw new StartRefused(
        'OUTBOUND_WEBHOOK_ENCRYPTION_KEY is not set, but the signing keys are encrypted with it. Set it to the ' +
          'key that the service uses.',
      )
    }
    return rotateSigningKeys({ db, config })
  })
  console.log(`made  signing key ${kid}: published now, signs in an hour`)
}
