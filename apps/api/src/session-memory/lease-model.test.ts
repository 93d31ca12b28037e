import { describe, expect, test } from 'vitest'

/**
 * The protocol of leases and acknowledgements as a model, of which every interleaving is visited: a holder that joins,
 * renews, reads, applies, acknowledges, loads and is notified; two writers, each with one change of the fact that the
 * holder may keep; a clock that ticks whenever it likes; a crash of the database server. The promise must hold, and each rule must
 * be needed: without it there is a way to a stale answer.
 */
interface Rules {
  /** The change log is read in a snapshot that begins after the renewal has committed. */
  readonly readsAfterCommit: boolean
  /** A lease counts from before its renewal was sent. */
  readonly countsFromSending: boolean
  /** What is acknowledged is applied, and is what was read. */
  readonly acknowledgesApplied: boolean
  /** An invalidation carries all changes that a holder has not acknowledged, not only those of its writer. */
  readonly invalidationsCarryAll: boolean
  /** A writer waits for those who have not acknowledged its change. */
  readonly writersWait: boolean
  /** Who joins anew has forgotten everything. */
  readonly joinsEmpty: boolean
  /** Changes are applied to what is on its way, too. */
  readonly loadsAreTold: boolean
  /** What was on its way when everything was forgotten is not kept. */
  readonly forgetsLoads: boolean
  /** After a crash, writers wait for holders whose rows it took away. */
  readonly waitsForUnknown: boolean
  /** When its connection ends, the holder forgets everything: the server may give the same numbers again. */
  readonly forgetsWithConnection: boolean
}

const design: Rules = {
  readsAfterCommit: true,
  countsFromSending: true,
  acknowledgesApplied: true,
  invalidationsCarryAll: true,
  writersWait: true,
  joinsEmpty: true,
  loadsAreTold: true,
  forgetsLoads: true,
  waitsForUnknown: true,
  forgetsWithConnection: true,
}

/** In ticks. Ages are counted up to it: what is older differs in nothing. So time has no end here. */
const leaseLength = 2
const older = (age: number) => Math.min(age + 1, leaseLength)

type Phase = 'out' | 'joining' | 'idle' | 'sent' | 'executed' | 'committed' | 'read' | 'applied'

interface Writer {
  readonly step: 'before' | 'committed' | 'waiting' | 'answered'
  /** Since its commit. */
  readonly age: number
  /** Since it saw the holder's row as it is; false when it has been renewed since. */
  readonly seenAge: number
  readonly isSeen: boolean
  /** Since it saw that a crash had taken rows away. */
  readonly unknownAge: number
  readonly isUnknownSeen: boolean
}

/** Sets of changes are bits: 1 is the first writer's, 2 the second's. */
interface State {
  readonly committed: number
  readonly committedAfterCrash: number
  readonly hasRow: boolean
  readonly acknowledged: number
  readonly isUnknown: boolean
  readonly hasCrashed: boolean
  readonly phase: Phase
  readonly isConnected: boolean
  /** Since the renewal was sent that is under way; as old as a lease when none is. */
  readonly sentAge: number
  readonly applied: number
  readonly seen: number
  /** Of the lease, by the holder. */
  readonly ticksLeft: number
  /** Changes that the kept fact has; -1 when none is kept. */
  readonly kept: number
  /** -2: no load; -1: asked for; else the changes that it has. */
  readonly load: number
  readonly told: number
  /** The changes that an invalidation on its way carries. It may arrive whenever it likes, or never. */
  readonly carried: number
  /** The snapshot that whoever applies them has applied; 0 when no invalidation is on its way. */
  readonly carriedOf: number
  readonly first: Writer
  readonly second: Writer
}

const unwritten: Writer = {
  step: 'before',
  age: 0,
  seenAge: 0,
  isSeen: false,
  unknownAge: 0,
  isUnknownSeen: false,
}

const start: State = {
  committed: 0,
  committedAfterCrash: 0,
  hasRow: false,
  acknowledged: 0,
  isUnknown: false,
  hasCrashed: false,
  phase: 'out',
  isConnected: true,
  sentAge: leaseLength,
  applied: 0,
  seen: 0,
  ticksLeft: 0,
  kept: -1,
  load: -2,
  told: 0,
  carried: 0,
  carriedOf: 0,
  first: unwritten,
  second: unwritten,
}

type Next = readonly [how: string, state: State]

/** The lease is over, and memory is empty. */
const forget = (s: State, rules: Rules): State => ({
  ...s,
  phase: 'out',
  ticksLeft: 0,
  kept: rules.joinsEmpty ? -1 : s.kept,
  load: rules.forgetsLoads ? -2 : s.load,
})

/** Another row, or a renewed one: whoever has seen it counts anew. */
const renewed = ({ first, second }: State) => ({ first: unseen(first), second: unseen(second) })
const unseen = (writer: Writer): Writer =>
  writer.step === 'answered' ? writer : { ...writer, isSeen: false, seenAge: 0 }

/** While no renewal is on its way, which an acknowledgement on the same connection would wait for. */
const mayAcknowledge: readonly Phase[] = ['idle', 'committed', 'read', 'applied']

/** Changes are applied to what is kept, and told to what is on its way. */
const changed = (s: State, changes: number) => ({
  kept: changes === 0 ? s.kept : -1,
  told: s.load === -2 ? 0 : s.told | changes,
})

function holderSteps(s: State, rules: Rules): Next[] {
  const next: Next[] = []
  const go = (how: string, change: Partial<State>) => next.push([how, { ...s, ...change }])
  if (s.isConnected) {
    if (s.phase === 'out') go('join runs', { phase: 'joining', sentAge: 0, applied: s.committed })
    if (s.phase === 'joining')
      go('join commits', { phase: 'committed', hasRow: true, acknowledged: s.applied, ...renewed(s) })
    if (s.phase === 'idle') {
      go('renewal sent', { phase: 'sent', sentAge: 0 })
      go('read when notified', { phase: 'read', sentAge: leaseLength, seen: s.committed })
    }
    if (s.phase === 'sent') {
      if (s.hasRow)
        go('renewal runs', { phase: 'executed', ...(!rules.readsAfterCommit && { seen: s.committed }) })
      else next.push(['lease was taken away', forget(s, rules)])
    }
    if (s.phase === 'executed') {
      const phase = rules.readsAfterCommit ? 'committed' : 'read'
      go('renewal commits', { phase, acknowledged: s.applied, ...renewed(s) })
    }
    if (s.phase === 'committed') go('read', { phase: 'read', seen: s.committed })
    if (s.phase === 'applied')
      go('acknowledged', { phase: 'idle', ...(s.hasRow && { acknowledged: s.applied }) })
    if (s.carriedOf !== 0 && s.phase !== 'out' && s.phase !== 'joining')
      go('invalidation applied', {
        ...changed(s, s.carried),
        applied: s.applied | s.carriedOf,
        carried: 0,
        carriedOf: 0,
      })
    if (mayAcknowledge.includes(s.phase) && s.hasRow && s.acknowledged !== s.applied)
      go('acknowledged between reads', { acknowledged: s.applied })
    if (!rules.acknowledgesApplied && s.phase === 'read' && s.hasRow && s.acknowledged !== s.seen)
      go('acknowledged before it is applied', { acknowledged: s.seen })
  } else if (rules.forgetsWithConnection)
    next.push(['connection ended', { ...forget(s, rules), isConnected: true }])
  // Goes on where it was: what was committed since then has numbers that it takes for old ones.
  else {
    const applied = s.applied | s.committedAfterCrash
    go('connected again', {
      isConnected: true,
      phase: 'committed',
      hasRow: true,
      sentAge: 0,
      applied,
      acknowledged: applied,
      ...renewed(s),
    })
  }
  if (s.phase === 'read') {
    const counted =
      rules.countsFromSending || s.sentAge === leaseLength ? leaseLength - s.sentAge : leaseLength
    go('applied', {
      phase: 'applied',
      sentAge: leaseLength,
      applied: s.applied | s.seen,
      ...changed(s, s.seen & ~s.applied),
      ticksLeft: Math.max(s.ticksLeft, counted),
    })
  }
  if (s.ticksLeft > 0 && s.kept === -1 && s.load === -2) go('load asked for', { load: -1, told: 0 })
  if (s.load === -1) go('load reads', { load: s.committed })
  if (s.ticksLeft > 0 && s.load >= 0)
    go('load kept', { load: -2, told: 0, kept: rules.loadsAreTold && s.told !== 0 ? -1 : s.load })
  return next
}

function writerSteps(s: State, rules: Rules, who: 'first' | 'second'): Next[] {
  const bit = who === 'first' ? 1 : 2
  const writer = s[who]
  const become = (how: string, change: Partial<Writer>, more: Partial<State> = {}): Next => [
    `${who} writer ${how}`,
    { ...s, ...more, [who]: { ...writer, ...change } },
  ]
  // Of a writer that has answered nothing matters any more.
  const answers = (how: string, more: Partial<State> = {}): Next =>
    become(how, { ...unwritten, step: 'answered' }, more)
  if (writer.step === 'before') {
    const after = s.hasCrashed ? { committedAfterCrash: s.committedAfterCrash | bit } : {}
    const next = [become('commits', { step: 'committed' }, { committed: s.committed | bit, ...after })]
    // A process reads now and then, and knows how long a row has not been renewed when it has something to write.
    if (who === 'first' && s.hasRow && !writer.isSeen)
      next.push(become('reads before it writes', { isSeen: true, seenAge: 0 }))
    return next
  }
  if (writer.step === 'answered') return []
  const isBehind = s.hasRow && (s.acknowledged & bit) === 0
  if (!rules.writersWait || (!isBehind && !s.isUnknown)) return [answers('answers')]
  if (writer.age === leaseLength) return [answers('has waited long enough')]
  if ((isBehind && !writer.isSeen) || (s.isUnknown && !writer.isUnknownSeen)) {
    const seen = isBehind && !writer.isSeen ? { isSeen: true, seenAge: 0 } : {}
    const unknown = s.isUnknown && !writer.isUnknownSeen ? { isUnknownSeen: true, unknownAge: 0 } : {}
    const unheard = isBehind ? s.committed & ~s.acknowledged : 0
    // Without the rule, the second writer's invalidation has only its own change, which may be of another fact.
    const carried = rules.invalidationsCarryAll ? unheard : bit & 1
    const invalidation = unheard === 0 ? {} : { carried, carriedOf: s.committed }
    return [become('reads, and waits', { step: 'waiting', ...seen, ...unknown }, invalidation)]
  }
  if (isBehind && writer.seenAge < leaseLength) return []
  if (s.isUnknown && writer.unknownAge < leaseLength) return []
  // A row that is being renewed is locked.
  const taken = isBehind && s.phase !== 'executed' ? { hasRow: false } : {}
  return [answers('gives up a holder', { ...taken, isUnknown: false })]
}

const tick = (s: State): State => ({
  ...s,
  sentAge: older(s.sentAge),
  ticksLeft: Math.max(0, s.ticksLeft - 1),
  first: agedWriter(s.first),
  second: agedWriter(s.second),
})

const agedWriter = (writer: Writer): Writer =>
  writer.step === 'answered'
    ? writer
    : {
        ...writer,
        age: writer.step === 'before' ? 0 : older(writer.age),
        seenAge: writer.isSeen ? older(writer.seenAge) : 0,
        unknownAge: writer.isUnknownSeen ? older(writer.unknownAge) : 0,
      }

function steps(s: State, rules: Rules): Next[] {
  const next: Next[] = [
    ...holderSteps(s, rules),
    ...writerSteps(s, rules, 'first'),
    ...writerSteps(s, rules, 'second'),
    ['tick', tick(s)],
  ]
  // What had committed stays; the rows of leases, and the connection, are gone.
  const crash = {
    hasCrashed: true,
    isConnected: false,
    hasRow: false,
    acknowledged: 0,
    carried: 0,
    carriedOf: 0,
  }
  if (!s.hasCrashed) next.push(['the server crashes', { ...s, ...crash, isUnknown: rules.waitsForUnknown }])
  return next
}

/** Whoever has applied the snapshot of an invalidation does nothing when it arrives. */
const withoutOldInvalidation = (s: State): State =>
  s.carriedOf !== 0 && (s.carriedOf & ~s.applied) === 0 ? { ...s, carried: 0, carriedOf: 0 } : s

/** An answer from memory now, of what a change that was answered made void. */
const isStale = ({ ticksLeft, kept, first, second }: State): boolean =>
  ticksLeft > 0 &&
  kept >= 0 &&
  ((first.step === 'answered' && (kept & 1) === 0) || (second.step === 'answered' && (kept & 2) === 0))

const phases: Record<Phase, number> = {
  out: 0,
  joining: 1,
  idle: 2,
  sent: 3,
  executed: 4,
  committed: 5,
  read: 6,
  applied: 7,
}
const writerStages: Record<Writer['step'], number> = { before: 0, committed: 1, waiting: 2, answered: 3 }

/** In ten bits: an age takes two, as `leaseLength` does. */
const writerKey = (w: Writer) =>
  writerStages[w.step] |
  (w.age << 2) |
  (w.seenAge << 4) |
  (Number(w.isSeen) << 6) |
  (w.unknownAge << 7) |
  (Number(w.isUnknownSeen) << 9)

/** Of all but the writers and an invalidation, in 29 bits. */
const holderKey = (s: State) =>
  s.committed |
  (s.committedAfterCrash << 2) |
  (Number(s.hasRow) << 4) |
  (s.acknowledged << 5) |
  (Number(s.isUnknown) << 7) |
  (Number(s.hasCrashed) << 8) |
  (phases[s.phase] << 9) |
  (Number(s.isConnected) << 12) |
  (s.sentAge << 13) |
  (s.applied << 15) |
  (s.seen << 17) |
  (s.ticksLeft << 19) |
  ((s.kept + 1) << 21) |
  ((s.load + 2) << 24) |
  (s.told << 27)

/** States that were visited. By small integers: as many texts would take most of the time. */
function createVisited() {
  const byWriters = new Map<number, Set<number>>()
  let size = 0
  return {
    size: () => size,
    /** False when it was there. */
    add(s: State): boolean {
      const writers =
        writerKey(s.first) | (writerKey(s.second) << 10) | (s.carried << 20) | (s.carriedOf << 22)
      let holders = byWriters.get(writers)
      if (!holders) {
        holders = new Set()
        byWriters.set(writers, holders)
      }
      const before = holders.size
      if (holders.add(holderKey(s)).size === before) return false
      size += 1
      return true
    },
  }
}

/** The last steps on the way to a stale answer, or how many states there are without one. */
function explore(rules: Rules): { readonly states: number; readonly way?: readonly string[] } {
  const visited = createVisited()
  visited.add(start)
  interface Visit {
    readonly state: State
    readonly how: string
    readonly before: Visit | undefined
  }
  const todo: Visit[] = [{ state: start, how: 'start', before: undefined }]
  for (let visit = todo.pop(); visit; visit = todo.pop()) {
    if (isStale(visit.state)) {
      const way: string[] = []
      for (let at: Visit | undefined = visit; at; at = at.before) way.unshift(at.how)
      return { states: visited.size(), way }
    }
    for (const [how, next] of steps(visit.state, rules)) {
      const state = withoutOldInvalidation(next)
      if (visited.add(state)) todo.push({ state, how, before: visit })
    }
  }
  return { states: visited.size() }
}

describe('leases with acknowledged invalidation', () => {
  test('in no interleaving an answer from memory is older than a change that was answered', () => {
    const { states, way } = explore(design)
    expect(way).toBeUndefined()
    expect(states).toBeGreaterThan(50_000)
  })

  test.each(Object.keys(design) as (keyof Rules)[])('the rule %s is needed', (rule) => {
    expect(explore({ ...design, [rule]: false }).way?.at(-1)).toBeDefined()
  })
})
