import type { Config } from '../../config.ts'

/** The settings that may change while the service runs. */
export interface LiveSettings {
  readonly permissionTtlMs: number
  readonly statsTtlMs: number
  readonly memberActivityThresholdDays: number
  readonly maxWebhooksPerProject: number
}

export interface Settings {
  /** The values in force now; ask again for each use. */
  current(): LiveSettings
}

/** The settings as the environment gives them. */
export const configuredSettings = (config: Config): Settings => ({ current: () => config })
