import { DatabaseUnavailable } from '#platform/db/database'
import type { Config } from '../../config.ts'
import type { Deps, Settings, StoredSettings } from '../../deps.ts'
import { liveSettings, storedOutOfBounds } from './registry.ts'
import { readStored } from './store.ts'

/** The channel of the cache on which a change is announced. */
const channel = 'settings'
/**
 * The interval of checks. A change must be in force on every instance within a second, also without a cache. A part of
 * this second passes until the change log is read, which contains the version, and until the settings are read.
 */
const checkEveryMs = 250

/**
 * Creates the settings of this instance. Their values come from administrators and, by default, from the environment.
 *
 * The instance that writes a change applies it immediately, and notifies the others through the cache. A notification
 * only makes an instance read the database. Notifications can be lost, for example while the cache is down. So each
 * instance also compares the version of the stored row, which comes with every read of the change log, and reads the
 * row when the version has changed.
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

  /** Applies stored settings. Ignores an older version, because the older of two concurrent reads may arrive last. */
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
  /** Reads and applies the settings. If the read fails, the last known values stay in force. */
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
  /** Compares the version at intervals, until `close`. */
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
      // Comes first, because a start is repeated if the database does not respond.
      await refresh()
      unsubscribe = cache.subscribe(channel, () => void tryRefresh())
      check()
    },
    close: () => {
      unsubscribe()
      clearTimeout(timer)
      timer = undefined
    },
  }
}
