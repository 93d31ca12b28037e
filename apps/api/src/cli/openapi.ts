import { openApi } from '@rolecall/contract'
import { version } from '#platform/version'
import { loadConfig } from '../config.ts'
import { readEnvironment } from '../process/environment.ts'

/** Prints the OpenAPI document. PUBLIC_URL is its server. */
export function openapiCommand(): void {
  const { config } = loadConfig(readEnvironment())
  process.stdout.write(`${JSON.stringify(openApi(config.publicUrl, version), null, 2)}\n`)
}
