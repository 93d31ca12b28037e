import { fix, problemOfInternals } from '#platform/http/check-internals'
import { type NodeInternals, nodeInternals } from '#platform/http/node-internals'
import { type Line, note } from './line.ts'

/** Returns a note if the fast HTTP reader does not work with this Node.js version, and no line otherwise. */
export async function readerLines(internals: NodeInternals = nodeInternals): Promise<Line[]> {
  const cause = await problemOfInternals(internals)
  return cause === undefined
    ? []
    : [note(`the fast HTTP reader is disabled on Node.js ${process.version}: ${cause}. ${fix}`)]
}
