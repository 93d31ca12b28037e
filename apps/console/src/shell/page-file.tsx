import { useEffect } from 'react'
import { Page } from '../components/page.tsx'
import { Notice } from '../components/states.tsx'

/** Thrown if a file of the console cannot be loaded: the service does not respond, or a new release has other files. */
export class FileMissing extends Error {
  override readonly name = 'FileMissing'
}

/**
 * Wraps the loader of a file of the console.
 *
 * @throws FileMissing when the file is needed, not when it was only prefetched
 */
export const fileOf =
  <Module,>(load: () => Promise<Module>) =>
  (): Promise<Module> =>
    load().catch((cause: unknown) => {
      throw new FileMissing('A file of this page failed to load.', { cause })
    })

const askEveryMs = 4_000
/**
 * The minimum time between two reloads, in milliseconds. During an update, old and new instances run side by side, and
 * a reload may return the old release again.
 */
const reloadEveryMs = 30_000
const reloadedKey = 'rolecall-reloaded-at'

/**
 * Replaces a page of which the file is missing. As soon as the service responds, it reloads the console, because a new
 * release has other files.
 */
export function PageOfMissingFile() {
  useEffect(() => {
    const reload = async () => {
      if (Date.now() - Number(sessionStorage.getItem(reloadedKey)) < reloadEveryMs) return
      const answer = await fetch('/console/', { cache: 'no-store' }).catch(() => undefined)
      if (!answer?.ok) return
      sessionStorage.setItem(reloadedKey, String(Date.now()))
      location.reload()
    }
    void reload()
    const timer = setInterval(() => void reload(), askEveryMs)
    return () => clearInterval(timer)
  }, [])
  return (
    <Page title="This page failed to load" width="narrow">
      <Notice tone="bad" title="Rolecall is unreachable, or was just updated">
        The page loads automatically when Rolecall responds.
      </Notice>
    </Page>
  )
}
