import { RolecallError } from '@rolecall/sdk/admin'
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { Button } from '../components/button.tsx'
import { Page } from '../components/page.tsx'
import { Notice, Problem } from '../components/states.tsx'
import { FileMissing, PageOfMissingFile } from './page-file.tsx'

/** Replaces a page that failed to render. The rest of the console keeps working. */
export function PageFailed({ error }: ErrorComponentProps) {
  const router = useRouter()
  if (error instanceof FileMissing) return <PageOfMissingFile />
  return (
    <Page title="This page failed to load" width="narrow">
      {error instanceof RolecallError ? (
        <Problem error={error} />
      ) : (
        <Notice tone="bad" title="An error in this page">
          {error instanceof Error ? error.message : String(error)}
        </Notice>
      )}
      <div>
        <Button kind="main" onClick={() => void router.invalidate()}>
          Try again
        </Button>
      </div>
    </Page>
  )
}
