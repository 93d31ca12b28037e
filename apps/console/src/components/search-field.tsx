import { useEffect, useState } from 'react'
import { Icon } from './icon.tsx'

interface SearchFieldProps {
  readonly label: string
  readonly value: string
  /** Called with the text when the user stops typing. */
  readonly onSearch: (text: string) => void
}

const settleMs = 60

/** A search field that searches while the user types. The key `/` moves the focus to it. */
export function SearchField({ label, value, onSearch }: SearchFieldProps) {
  const [typed, setTyped] = useState(value)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a change of the typed text starts a search.
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
