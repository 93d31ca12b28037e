import { DatabaseUnavailable } from '#platform/db/database'
import type { Config } from '../../config.ts'
import type { Deps, Settings, StoredSettings } from '../../deps.ts'
import { liveSettings, storedOutOfBounds } from './registry.ts'
import { readStored } from './store.ts'

const channel = 'settings'
/**
 * The interval of checks. A change must be in force everywhere within a second, even without a cache; the reads of the
 * change log, which show the version, and a read of the settings take part of that second.
 */
const checkEveryMs = 250

/**
 * Provides the settings from the environment and from administrators, in force on every instance.
 *
 * The writing instance applies a change at once and notifies the others through the cache. The notification is only a
 * hint to read the database. Since the cache may be down, and messages of a lost connection are lost, each instance
 * also checks the version of the single stored row, which comes with each read of the change log, and reads the row
 * when it has changed, or when the version is unknown.
 */
export function createSettings({
  config,
  answers,
  db,
  cache,
  log,
}: Pick<Deps, 'answers' | 'db' | 'cache' | 'log'> & { config: Config }): Settings {
  let version = -1
  let values = liveSettings(config, {})
  let timer: NodeJS.Timeout | undefined
  let unsubscribe = () => {}
  let isFailing = false

  /** Ignores an older version: of two concurrent reads, the older one may arrive last. */
  const adopt = (stored: StoredSettings) => {
    if (stored.version <= version) return
    version = stored.version
    values = liveSettings(config, stored.overrides)
    for (const problem of storedOutOfBounds(stored.overrides)) {
      log.warn(`stored setting ignored, configured value in effect: ${problem}. Change it or reset it.`)
    }
  }
  const refresh = async () => {
    const stored = await readStored(db)
    adopt(stored)
    return stored
  }
  /** Reads the settings. The last known values stay in force while the database cannot be read. */
  const tryRefresh = async () => {
    try {
      await refresh()
      isFailing = false
    } catch (error) {
      if (!isFailing && !(error instanceof DatabaseUnavailable)) {
        log.error({ err: error }, 'settings read failed')
      }
      isFailing = true
    }
  }
  const check = () => {
    timer = setTimeout(async () => {
      if (answers.settingsVersion() !== version) await tryRefresh()
      if (timer) check()
    }, checkEveryMs)
    timer.unref()
  }

  return {
    current: () => values,
    refresh,
    announce: async (written) => {
      adopt(written)
      await cache.publish(channel, String(written.version))
    },
    start: async () => {
      unsubscribe = cache.subscribe(channel, () => void tryRefresh())
      await refresh()
      check()
    },
    close: () => {
      unsubscribe()
      clearTimeout(timer)
      timer = undefined
    },
  }
}
