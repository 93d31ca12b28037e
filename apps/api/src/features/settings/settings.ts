import type { settings } from '@rolecall/contract'

/** The settings that may change while the service runs. */
export type LiveSettings = Readonly<Record<settings.EditableSetting, number>>

/** The one stored row: what administrators changed, and who did so last. */
export interface StoredSettings {
  /** Counts the writes. */
  readonly version: number
  /** `group.key` → value. */
  readonly overrides: Readonly<Record<string, number>>
  readonly updatedAt: string | null
  readonly updatedBy: string | null
}

export interface Settings {
  /** The values in force now; ask again for each use. */
  current(): LiveSettings
  /** Reads what is stored, puts it in force here, and returns it. */
  refresh(): Promise<StoredSettings>
  /** Puts what was just written in force here, and tells the other instances. */
  announce(written: StoredSettings): Promise<void>
  /** Puts what is stored in force, and from then on what any instance writes. */
  start(): Promise<void>
  close(): void
}

/** What the audit log says that a change of the settings is about. */
export const settingsTarget = { type: 'settings', id: 'settings', name: 'System settings' } as const
