import { useEffect } from 'react'

/**
 * Keeps the session of an active administrator alive by replacing its pair when half of its lifetime is over. The
 * session of an inactive administrator expires, regardless of the number of open tabs. Tabs share one session and one
 * entry in `localStorage`: one tab replaces the pair, under a lock, and the others read the result.
 */
const checkEveryMs = 60_000
const lockName = 'rolecall-session'
const storedName = 'rolecall-session-due'

/** Keeps the session alive while the administrator clicks or types. Called once, by the shell of the console. */
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
    }, checkEveryMs)
    addEventListener('pointerdown', use)
    addEventListener('keydown', use)
    return () => {
      clearInterval(timer)
      removeEventListener('pointerdown', use)
      removeEventListener('keydown', use)
    }
  }, [])
}

/** Resolves when no tab is replacing the pair. A request that was rejected with the old pair can then be retried. */
export const pairSettled = (): Promise<void> =>
  navigator.locks.request(lockName, { mode: 'shared' }, () => {})

/** Discards the stored expiry, because a new session has its own. */
export function forgetSessionTime(): void {
  try {
    localStorage.removeItem(storedName)
  } catch {
    // A browser without storage has nothing to discard.
  }
}

interface Kept {
  /** The time to replace the pair, by the clock of this browser. */
  readonly dueAt: number
  /** The expiry of the pair, by the clock of the service. */
  readonly expiresAt: number
}

/**
 * Returns true if the pair must be replaced. Without a stored time, it is due, because only a response tells the
 * expiry.
 */
const isDue = () => Date.now() >= (readKept()?.dueAt ?? 0)

async function replacePair(): Promise<void> {
  const response = await fetch('/api/auth/token/refresh', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: '{}',
  }).catch(() => undefined)
  // The session may have ended, which the next call of the console shows. Until then, retries only every ten minutes.
  if (!response?.ok) return keep({ dueAt: Date.now() + 10 * checkEveryMs, expiresAt: 0 })
  const { expiresAt: text } = (await response.json()) as { readonly expiresAt: string }
  const expiresAt = Date.parse(text)
  // Computes with the time of the service, because the clock of this computer may be wrong by hours.
  const leftMs = expiresAt - Date.parse(response.headers.get('date') ?? text)
  // If the expiry did not move, the session has reached its maximum age. Another pair would not extend it.
  const isLast = expiresAt <= (readKept()?.expiresAt ?? 0) + checkEveryMs
  keep({
    expiresAt,
    dueAt: isLast ? Number.MAX_SAFE_INTEGER : Date.now() + Math.max(checkEveryMs, leftMs / 2),
  })
}

/** The times of this tab, for a browser that does not allow storage. */
let keptHere: Kept | undefined

function keep(kept: Kept) {
  keptHere = kept
  try {
    localStorage.setItem(storedName, JSON.stringify(kept))
  } catch {
    // Without storage, each tab replaces the pair by itself, one after another because of the lock.
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
