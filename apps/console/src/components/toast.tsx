import { createContext, type ReactNode, useCallback, useContext, useState } from 'react'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'
import './toast.css'

type Say = (text: string) => void

const ToastContext = createContext<Say>(() => {})

/**
 * Returns a function that confirms a change in one line. Use it for successes. Show errors next to the failed action.
 */
export const useToast = (): Say => useContext(ToastContext)

const shownMs = 6_000

/** Provides `useToast` to the page, and shows the confirmations. */
export function Toasts({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<readonly { id: string; text: string }[]>([])
  const drop = useCallback((id: string) => setToasts((all) => all.filter((one) => one.id !== id)), [])
  const say = useCallback<Say>(
    (text) => {
      const id = crypto.randomUUID()
      setToasts((all) => [...all.slice(-2), { id, text }])
      setTimeout(() => drop(id), shownMs)
    },
    [drop],
  )
  return (
    <ToastContext value={say}>
      {children}
      <div className="toasts" role="status">
        {toasts.map(({ id, text }) => (
          <div key={id} className="toast fade">
            {text}
            <Button kind="quiet" size="icon" aria-label="Dismiss" onClick={() => drop(id)}>
              <Icon name="close" size={14} />
            </Button>
          </div>
        ))}
      </div>
    </ToastContext>
  )
}
