import { setTimeout as sleep } from 'node:timers/promises'
import type { Project } from '../soak/ledger.ts'
import { club } from '../soak/place.ts'
import { Claim } from './claim.ts'
import { acknowledged, isOk, type Participant, type Parts } from './members.ts'
import { aboutScope } from './questions.ts'

/** Creates a project whose permission to read members is taken away and given back until the run is over. */
export function createReader(reader: Project, memberIds: readonly string[], parts: Parts): Participant {
  const { ask, random, admin, isOver } = parts
  const scope = new Claim()
  const questions = memberIds.flatMap((id) => aboutScope(reader, id, scope))
  const grant = (scopes: readonly string[]) =>
    acknowledged(
      parts,
      () =>
        ask('PUT', `/api/admin/projects/${reader.id}/servers/${club}`, {
          token: admin.token,
          body: { scopes },
        }),
      isOk,
    )
  return {
    questions: () => questions,
    async live() {
      while (!isOver()) {
        await sleep(random.between(500, 5_000))
        scope.become('ending')
        await grant(['check_permissions'])
        scope.become('ended')
        await sleep(random.between(500, 3_000))
        scope.become('starting')
        await grant(['read_members', 'check_permissions'])
        scope.become('live')
      }
    },
  }
}
