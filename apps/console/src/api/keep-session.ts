import { useEffect } from 'react'

/**
 * The session of somebody who is at work goes on: its pair is replaced when half of its time is over. Of somebody who has left
 * it ends by itself, however many tabs are open. Tabs share one session and one place in `localStorage`: one replaces the
 * pair, under a lock, and the others find it done.
 */
const lookEveryMs = 60_000
const lockName = 'rolecall-session'
const storedName = 'rolecall-session-due'

export function useSessionKept(): void {
  useEffect(() => {
    let isUsed = false
    const use = () => {
      isUsed = true
    }
    const timer = setInterval(() => {
      if (!isUsed || !isDue()) return
      isUsed = false
      void navigator.locks.request(lockName, { ifAvailable: true }, (lock) =>
        lock && isDue() ? replacePair() : undefined,
      )
    }, lookEveryMs)
    addEventListener('pointerdown', use)
    addEventListener('keydown', use)
    return () => {
      clearInterval(timer)
      removeEventListener('pointerdown', use)
      removeEventListener('keydown', use)
    }
  }, [])
}

/** Resolves when no tab is replacing the pair: a request that went out with the former one is worth another try. */
export const pairSettled = (): Promise<void> =>
  navigator.locks.request(lockName, { mode: 'shared' }, () => {})

/** A new login has a time of its own. */
export function forgetSessionTime(): void {
  try {
    localStorage.removeItem(storedName)
  } catch {
    // A browser that keeps nothing has nothing to forget.
  }
}

interface Kept {
  /** By the clock of this browser: when the pair is to be replaced. */
  readonly dueAt: number
  /** By the clock of the service. */
  readonly expiresAt: number
}

/** Of a session of which nothing is known it is time to learn how long it lasts. */
const isDue = () => Date.now() >= (readKept()?.dueAt ?? 0)

async function replacePair(): Promise<void> {
  const response = await fetch('/api/auth/token/refresh', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: '{}',
  }).catch(() => undefined)
  // Whether the session is over is said by whatever is asked next; until then this is not tried every minute.
  if (!response?.ok) return keep({ dueAt: Date.now() + 10 * lookEveryMs, expiresAt: 0 })
  const { expiresAt: text } = (await response.json()) as { readonly expiresAt: string }
  const expiresAt = Date.parse(text)
  // The clock of a computer may be wrong by hours.
  const leftMs = expiresAt - Date.parse(response.headers.get('date') ?? text)
  // At the greatest age of a session nothing is gained by another pair.
  const isLast = expiresAt <= (readKept()?.expiresAt ?? 0) + lookEveryMs
  keep({
    expiresAt,
    dueAt: isLast ? Number.MAX_SAFE_INTEGER : Date.now() + Math.max(lookEveryMs, leftMs / 2),
  })
}

/** For this tab, where the browser keeps nothing. */
let keptHere: Kept | undefined

function keep(kept: Kept) {
  keptHere = kept
  try {
    localStorage.setItem(storedName, JSON.stringify(kept))
  } catch {
    // Each tab replaces the pair by itself then, one after another.
  }
}

function readKept(): Kept | undefined {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(storedName) ?? 'null')
    return isKept(kept) ? kept : undefined
  } catch {
    return keptHere
  }
}

const isKept = (value: unknown): value is Kept =>
  typeof value === 'object' &&
  value !== null &&
  'dueAt' in value &&
  typeof value.dueAt === 'number' &&
  'expiresAt' in value &&
  typeof value.expiresAt === 'number'
