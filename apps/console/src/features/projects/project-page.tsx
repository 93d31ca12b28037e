import type { Project } from '@rolecall/sdk/admin'
import { useLocation, useParams } from '@tanstack/react-router'
import { Fragment, type ReactNode } from 'react'
import { useApiQuery } from '../../api/queries.ts'
import { Status } from '../../components/chip.tsx'
import type { Guide } from '../../components/guides.ts'
import { Page, Tabs } from '../../components/page.tsx'
import { QueryResult } from '../../components/states.tsx'
import { projectTabs } from '../../shell/project-tabs.ts'
import { stateOf } from './project-state.ts'

/** The guide of each tab, by its path. The administration guide explains the other tabs. */
const tabGuides: Readonly<Record<string, Guide>> = {
  redirects: 'first-project',
  'sign-in': 'openid-connect',
  proxy: 'forward-auth',
  webhooks: 'inbound-webhooks',
  events: 'events',
}

const guideOf = (path: string): Guide => tabGuides[path.split('/')[1] ?? ''] ?? 'administering'

/** The frame that all tabs of a project share, with the content of one tab. */
export function ProjectPage({ children }: { children: (project: Project) => ReactNode }) {
  const { id = '' } = useParams({ strict: false })
  const { pathname } = useLocation()
  const project = useApiQuery('getProject', { params: { id } })
  const title = project.data?.name ?? 'Project'
  const state = project.data && stateOf(project.data)
  return (
    <Page
      title={title}
      guide={guideOf(pathname.split(id)[1] ?? '')}
      up={{ to: '/projects', text: 'Projects' }}
      lead={project.data?.description}
      id={id}
      actions={state && <Status tone={state.tone}>{state.text}</Status>}
    >
      {(project.data || project.isPending) && (
        <Tabs
          label={title}
          tabs={projectTabs.map(([path, text]) => ({ to: `/projects/${id}${path}`, text }))}
        />
      )}
      {/* The key resets the state when another project opens, so that it does not show a secret of this one. */}
      <QueryResult of={project}>{(one) => <Fragment key={one.id}>{children(one)}</Fragment>}</QueryResult>
    </Page>
  )
}
