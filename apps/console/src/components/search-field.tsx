import { useEffect, useState } from 'react'
import { Icon } from './icon.tsx'

interface SearchFieldProps {
  readonly label: string
  readonly value: string
  /** Called when nothing was typed for a moment. */
  readonly onSearch: (text: string) => void
}

const settleMs = 60

/** Searches as the user types. `/` moves the focus here. */
export function SearchField({ label, value, onSearch }: SearchFieldProps) {
  const [typed, setTyped] = useState(value)
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is searched for follows what is typed, and nothing else.
  useEffect(() => {
    if (typed === value) return
    const timer = setTimeout(() => onSearch(typed), settleMs)
    return () => clearTimeout(timer)
  }, [typed])
  return (
    <div className="search">
      <Icon name="search" size={14} />
      <input
        type="search"
        className="input"
        aria-label={label}
        placeholder={label}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') setTyped('')
        }}
      />
    </div>
  )
}
