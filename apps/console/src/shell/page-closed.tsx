import { Navigate } from '@tanstack/react-router'
import { Page } from '../components/page.tsx'
import { Forbidden } from '../components/states.tsx'
import type { Place } from './places.ts'

/** Replaces a page that the administrator may not open. It links to the projects, where owners can start. */
export const PageClosed = ({ place: { to, text } }: { place: Place }) =>
  to === '/overview' ? (
    <Navigate to="/projects" replace />
  ) : (
    <Page title={text} width="narrow">
      <Forbidden />
    </Page>
  )
