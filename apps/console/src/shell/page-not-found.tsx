import { ButtonLink } from '../components/button.tsx'
import { Page } from '../components/page.tsx'
import { Empty } from '../components/states.tsx'

/** The page for an address of the console that does not exist. */
export const PageNotFound = () => (
  <Page title="Page not found" width="narrow">
    <Empty
      title="There is no page at this address"
      action={<ButtonLink to="/">Go to the start page</ButtonLink>}
    >
      The address may be incomplete, or the page was deleted.
    </Empty>
  </Page>
)
