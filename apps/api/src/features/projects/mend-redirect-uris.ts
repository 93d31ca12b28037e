import type { Deps } from '../../deps.ts'
import { changeProject } from './change-project.ts'
import { inAscii } from './redirect-uris.ts'
import { listBeyondAscii, updateRedirectUris } from './store.ts'

const isAscii = (uri: string) => /^[\x21-\x7e]*$/.test(uri)

/**
 * Redirect URIs that were stored before only ASCII was taken: their host is written in punycode where that makes
 * them ASCII; others are taken off the list. One warning for each project says how many, and what to do.
 */
export async function mendRedirectUris(deps: Pick<Deps, 'db' | 'audit' | 'log'>): Promise<void> {
  for (const { id, name } of await listBeyondAscii(deps.db)) {
    const counts = await changeProject(deps, id, async (tx, { redirectUris: before }, record) => {
      const beyond = before.filter((uri) => !isAscii(uri))
      const after = [...new Set(before.flatMap((uri) => (isAscii(uri) ? uri : (inAscii(uri) ?? []))))]
      // Another instance starts, too: it was first.
      if (beyond.length === 0) return undefined
      await updateRedirectUris(tx, id, after)
      await record({
        action: 'project.update',
        severity: 'warning',
        summary: `Redirect URIs of ${name} beyond ASCII were rewritten or removed.`,
        changes: { redirectUris: { before, after } },
      })
      const removed = beyond.filter((uri) => inAscii(uri) === undefined).length
      return { rewritten: beyond.length - removed, removed }
    })
    if (!counts) continue
    deps.log.warn(
      { projectId: id, project: name, ...counts },
      'redirect URIs beyond ASCII: rewritten ones have their host in punycode, removed ones must be registered anew',
    )
  }
}
