/** The tabs of a project: the path below the project's page, and the text. The palette finds them by their text. */
export const projectTabs = [
  ['', 'Overview'],
  ['/keys', 'Keys'],
  ['/redirects', 'Redirects'],
  ['/sign-in', 'OpenID Connect'],
  ['/proxy', 'Proxy'],
  ['/webhooks', 'Inbound webhooks'],
  ['/events', 'Events'],
  ['/sessions', 'Sessions'],
  ['/audit', 'Audit'],
  ['/settings', 'Settings'],
] as const

interface Named {
  readonly id: string
  readonly name: string
}

/** The maximum number of tabs in the results of a search. */
const maxTabs = 8

/** Returns the tabs that match the name of a project followed by the name of a tab, such as `wiki keys`. */
export function tabsNamed(projects: readonly Named[], typed: string) {
  const words = typed.trim().toLowerCase().split(/\s+/)
  const found = words.slice(1).flatMap((_, at) => {
    const name = words.slice(0, at + 1).join(' ')
    const tab = words.slice(at + 1).join(' ')
    return projects
      .filter((project) => project.name.toLowerCase().includes(name))
      .flatMap((project) =>
        projectTabs
          .filter(([path, text]) => path !== '' && text.toLowerCase().startsWith(tab))
          .map(([path, text]) => ({ project, path, text })),
      )
  })
  return found.slice(0, maxTabs)
}
