import { ButtonLink } from '../components/button.tsx'
import { Page } from '../components/page.tsx'
import { Empty } from '../components/states.tsx'

export const PageNotFound = () => (
  <Page title="There is nothing here" width="narrow">
    <Empty title="No page has this address" action={<ButtonLink to="/">To the start</ButtonLink>}>
      A letter may be missing, or what it was about is gone.
    </Empty>
  </Page>
)
