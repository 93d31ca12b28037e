import { RecentMap } from './cache/recent-map.ts'

/**
 * The maximum number of callers whose failures are remembered. Beyond it, those that were not used recently are
 * dropped.
 */
const maxRecords = 10_000
/** After this number of failures in a row, a caller goes last. A failure counts for `failuresCountForMs`. */
const failuresToGoLast = 3
const failuresCountForMs = 60_000
/** The interval at which the queue checks whether a caller that goes last may begin. */
const checkEveryMs = 25

interface Options {
  /** The maximum number of pieces of work that run at the same time: of all callers together, and of one caller. */
  readonly maxAtOnce: number
  readonly maxAtOncePerCaller: number
  /** The maximum number of pieces that wait: of one caller, and of all callers together. Further pieces are refused. */
  readonly maxWaitingPerCaller: number
  readonly maxWaiting: number
  /** The longest time that a piece waits before it is refused. */
  readonly maxWaitMs: number
  /** The shortest time between two pieces of a caller that goes last. */
  readonly lastEveryMs: number
  /** Waits until the next piece of any caller may begin. Must not reject. */
  readonly turn?: (() => Promise<void>) | undefined
}

/** Thrown if too many pieces are waiting, or a piece has waited too long. The work was not begun. */
export class QueueFull extends Error {
  override readonly name = 'QueueFull'
}

/** A queue in which callers take turns. */
export interface FairQueue {
  /**
   * Runs the work when it is the caller's turn. `isCausedByCaller` decides whether an error counts as a failure of the
   * caller.
   *
   * @throws QueueFull if the work was not begun
   */
  run<T>(caller: string, work: () => Promise<T>, isCausedByCaller?: (error: unknown) => boolean): Promise<T>
}

interface Piece {
  readonly begin: () => Promise<void>
  readonly patience: NodeJS.Timeout
}

/** The pieces of one caller: those that wait, and how many are running. */
interface Lane {
  readonly caller: string
  waiting: Piece[]
  atOnce: number
}

interface Failures {
  count: number
  lastAt: number
  begunAt: number
}

/**
 * Creates a queue that shares a scarce resource fairly: callers take turns. A caller with a thousand pieces waits for a
 * thousand turns, and delays every other caller by only one. A caller whose work only fails goes last: its pieces run
 * one at a time, and only when no other caller may begin.
 */
export function createFairQueue(options: Options): FairQueue {
  const now = () => performance.now()
  /** The callers with waiting or running pieces, in the order of their turns. */
  const lanes = new Map<string, Lane>()
  const failures = new RecentMap<Failures>(maxRecords)
  let waiting = 0
  let atOnce = 0
  let isPumping = false
  let timer: NodeJS.Timeout | undefined

  const failuresOf = (caller: string) => {
    const known = failures.get(caller)
    return known && now() - known.lastAt < failuresCountForMs ? known : undefined
  }
  const mayBegin = (lane: Lane, record: Failures | undefined) =>
    lane.waiting.length > 0 &&
    (record
      ? lane.atOnce === 0 && now() - record.begunAt >= options.lastEveryMs
      : lane.atOnce < options.maxAtOncePerCaller)

  /** Returns the caller that has the next turn, or undefined if none may begin. */
  const next = (): Lane | undefined => {
    if (atOnce >= options.maxAtOnce) return undefined
    let last: Lane | undefined
    for (const lane of lanes.values()) {
      const record = failuresOf(lane.caller)
      const goesLast = record !== undefined && record.count >= failuresToGoLast
      if (!mayBegin(lane, goesLast ? record : undefined)) continue
      if (!goesLast) return lane
      last ??= lane
    }
    return last
  }
  const drop = (lane: Lane) => {
    if (lane.waiting.length === 0 && lane.atOnce === 0) lanes.delete(lane.caller)
  }
  const begin = (lane: Lane) => {
    const piece = lane.waiting.shift()
    if (!piece) return
    clearTimeout(piece.patience)
    waiting -= 1
    atOnce += 1
    lane.atOnce += 1
    // Moves the caller to the end, so that all others have their turns first.
    lanes.delete(lane.caller)
    lanes.set(lane.caller, lane)
    const record = failuresOf(lane.caller)
    if (record) record.begunAt = now()
    void piece.begin().finally(() => {
      atOnce -= 1
      lane.atOnce -= 1
      drop(lane)
      void pump()
    })
  }
  /** Begins every piece that may begin. If pieces are left, checks again later. */
  const pump = async () => {
    if (isPumping) return
    isPumping = true
    while (next()) {
      await options.turn?.()
      // Chooses the caller again after the wait: in the meantime, callers may have arrived or given up.
      const lane = next()
      if (lane) begin(lane)
    }
    isPumping = false
    clearTimeout(timer)
    if (waiting > 0) timer = setTimeout(() => void pump(), checkEveryMs).unref()
  }
  const noteFailure = (caller: string) => {
    const known = failuresOf(caller)
    failures.set(caller, { count: (known?.count ?? 0) + 1, lastAt: now(), begunAt: known?.begunAt ?? now() })
  }
  const giveUp = (lane: Lane, piece: Piece) => {
    lane.waiting = lane.waiting.filter((one) => one !== piece)
    waiting -= 1
    drop(lane)
  }

  return {
    run: <T>(
      caller: string,
      work: () => Promise<T>,
      isCausedByCaller: (error: unknown) => boolean = () => false,
    ) =>
      new Promise<T>((resolve, reject) => {
        const lane = lanes.get(caller) ?? { caller, waiting: [], atOnce: 0 }
        if (waiting >= options.maxWaiting || lane.waiting.length >= options.maxWaitingPerCaller) {
          return reject(new QueueFull('Too many requests are waiting.'))
        }
        const piece: Piece = {
          begin: async () => {
            try {
              resolve(await work())
              failures.delete(caller)
            } catch (error) {
              if (isCausedByCaller(error)) noteFailure(caller)
              reject(error)
            }
          },
          patience: setTimeout(() => {
            giveUp(lane, piece)
            reject(new QueueFull('The request waited too long.'))
          }, options.maxWaitMs).unref(),
        }
        lanes.set(caller, lane)
        lane.waiting.push(piece)
        waiting += 1
        void pump()
      }),
  }
}
