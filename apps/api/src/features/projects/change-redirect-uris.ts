import type { ProblemDetail } from '@rolecall/contract'
import type { By } from '#audit/event'
import { ApiError } from '#platform/http/api-error'
import { invalid } from '#platform/http/check-request'
import type { Deps } from '../../deps.ts'
import { changeProject } from './change-project.ts'
import { readRedirectUri, readRedirectUris, tooManyUris } from './redirect-uris.ts'
import { updateRedirectUris } from './store.ts'

type ProjectDeps = Pick<Deps, 'db' | 'audit'>

/**
 * Replaces the list of redirect URIs. One invalid entry rejects the whole list.
 *
 * @throws PROJECT_NOT_FOUND, VALIDATION_FAILED
 */
export async function setRedirectUris(deps: ProjectDeps, by: By, id: string, text: string): Promise<void> {
  await changeList(deps, by, id, 'The redirect URIs were changed', () => {
    const { uris, problems } = readRedirectUris(text)
    refuse(problems)
    return uris
  })
}

/**
 * Adds one redirect URI, and keeps the others. Returns false if the project has this URI already.
 *
 * @throws PROJECT_NOT_FOUND, VALIDATION_FAILED
 */
export const addRedirectUri = (deps: ProjectDeps, by: By, id: string, uri: string): Promise<boolean> =>
  changeList(deps, by, id, 'A redirect URI was added', (listed) => {
    refuse(readRedirectUri(uri))
    const uris = [...new Set([...listed, uri])]
    refuse(tooManyUris(uris, '/uri'))
    return uris
  })

/**
 * Removes one redirect URI. Sessions stay valid. A sign-in in progress with this URI ends with an error page.
 *
 * @throws PROJECT_NOT_FOUND, REDIRECT_URI_NOT_FOUND
 */
export async function removeRedirectUri(deps: ProjectDeps, by: By, id: string, uri: string): Promise<void> {
  await changeList(deps, by, id, 'A redirect URI was removed', (listed) => {
    if (!listed.includes(uri)) throw new ApiError('REDIRECT_URI_NOT_FOUND')
    return listed.filter((other) => other !== uri)
  })
}

/**
 * Stores the list that `next` returns for the current one, and writes the audit entry. Returns false without a change.
 */
const changeList = (
  deps: ProjectDeps,
  by: By,
  id: string,
  change: string,
  next: (listed: readonly string[]) => readonly string[],
): Promise<boolean> =>
  changeProject(deps, id, async (tx, project, record) => {
    const before = project.redirectUris
    const after = next(before)
    if (JSON.stringify(after) === JSON.stringify(before)) return false
    await updateRedirectUris(tx, id, after)
    const summary = `${change}: project ${project.name}.`
    await record({ ...by, action: 'project.update', summary, changes: { redirectUris: { before, after } } })
    return true
  })

/** Throws VALIDATION_FAILED if there are problems. */
function refuse(problems: readonly ProblemDetail[]): void {
  if (problems.length > 0) throw invalid(problems)
}
