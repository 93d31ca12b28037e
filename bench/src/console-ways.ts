import type { Page } from 'playwright-core'
import type { Goal } from './console-page.ts'

/** A navigation that is measured: its name, the link to click, and the goal. */
export interface Way {
  readonly name: string
  readonly goal: Goal
  readonly link: string
}

export const overview: Goal = {
  address: '/overview',
  heading: '^Overview$',
  shown: 'main .figure dd',
}

const to = (path: string, heading: string, shown = 'main tbody tr'): Way => ({
  name: heading,
  goal: { address: path, heading: `^${heading}$`, shown },
  link: `a[href="/console${path}"]`,
})

/** Returns the navigations that are measured: from which page, by which link, and to which goal. */
export const waysOf = (project: string): readonly Way[] => [
  { name: 'Overview', goal: overview, link: 'a[href="/console/overview"]' },
  to('/projects', 'Projects'),
  { ...to(`/projects/${project}`, 'Project \\d+', 'main .facts'), name: 'A project' },
  { ...to(`/projects/${project}/keys`, 'Project \\d+', 'main .panel'), name: 'Keys of a project' },
  { ...to(`/projects/${project}/audit`, 'Project \\d+'), name: 'Audit of a project' },
  to('/access', 'Access'),
  to('/members', 'Members'),
  to('/servers', 'Servers', 'main a[href*="/servers/"]'),
  to('/audit', 'Audit'),
  to('/monitoring', 'Monitoring', 'main .panel'),
  to('/settings', 'Settings', 'main .panel'),
  to('/about', 'About', 'main .panel'),
]

/** A search or a filter that is measured: an input on a page, and the goal to which it leads. */
export interface Narrowing {
  readonly name: string
  readonly path: string
  readonly goal: Goal
  readonly act: (page: Page) => Promise<unknown>
}

/** Returns the searches and filters that are measured. */
export const narrowingsOf = (member: string): readonly Narrowing[] => [
  ...['amber1', 'delta19', 'Person 1999', 'nobody'].map((text) => ({
    name: `Members: search “${text}”`,
    path: '/members',
    goal: {
      address: `/members\\?search=${encodeURIComponent(text).replace('%20', '\\+')}`,
      heading: 'Members',
      shown: text === 'nobody' ? 'main .empty' : 'main tbody tr',
    },
    act: async (page: Page) => {
      await page.getByLabel('Search members').focus()
      await page.keyboard.type(text, { delay: 60 })
    },
  })),
  {
    name: 'Projects: search “049”',
    path: '/projects',
    goal: { address: '/projects\\?name=049', heading: 'Projects', shown: 'main tbody tr' },
    act: async (page) => {
      await page.getByLabel('Search projects').focus()
      await page.keyboard.type('049', { delay: 60 })
    },
  },
  ...(
    [
      ['Kind', 'webhook', 'kind=webhook'],
      ['Severity', 'info', 'severity=info'],
      ['Severity', 'error', 'severity=error'],
    ] as const
  ).map(([label, value, query]) => ({
    name: `Audit: ${label.toLowerCase()} ${value}`,
    path: '/audit',
    goal: { address: `/audit\\?${query}`, heading: 'Audit', shown: 'main tbody tr' },
    act: (page: Page) => page.getByLabel(label, { exact: true }).selectOption(value),
  })),
  {
    name: 'Audit: entries of one member',
    path: '/audit',
    goal: { address: `/audit\\?who=${member}`, heading: 'Audit', shown: 'main tbody tr' },
    act: async (page) => {
      await page.getByLabel('Person').focus()
      await page.keyboard.insertText(member)
    },
  },
  {
    name: 'Audit: older entries',
    path: '/audit',
    goal: { address: '/audit\\?cursor=.*', heading: 'Audit', shown: 'main tbody tr' },
    act: (page) => page.getByRole('button', { name: 'Older' }).evaluate((one: HTMLElement) => one.click()),
  },
]

/** The long lists that scroll in their own frame. */
export const lists = [
  ['Projects', '/console/projects', '.table-frame'],
  ['Access of projects to servers', '/console/access', '.table-frame'],
] as const
