import { useEffect } from 'react'
import { Page } from '../components/page.tsx'
import { Notice } from '../components/states.tsx'

/** A file of the console did not come: nothing answers, or a release has replaced it. */
export class FileMissing extends Error {
  override readonly name = 'FileMissing'
}

/** Loads a file that is a part of the console. @throws FileMissing once it is needed, not when it was only fetched ahead */
export const fileOf =
  <Module,>(load: () => Promise<Module>) =>
  (): Promise<Module> =>
    load().catch((cause: unknown) => {
      throw new FileMissing('A file of this page did not come.', { cause })
    })

const askEveryMs = 4_000
/** Where two releases stand side by side, the page that is loaded anew may be of the former one again. */
const reloadEveryMs = 30_000
const reloadedKey = 'rolecall-reloaded-at'

/** Stands where a page would, and loads the console anew as soon as it is there: of a new release it has other files. */
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
    <Page title="This page did not come" width="narrow">
      <Notice tone="bad" title="Rolecall does not answer, or was updated a moment ago">
        The page opens by itself as soon as it is there.
      </Notice>
    </Page>
  )
}
