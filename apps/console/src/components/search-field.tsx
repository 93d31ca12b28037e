import { useEffect } from 'react'
import { Icon } from './icon.tsx'
import { useTyped } from './use-typed.ts'

interface SearchFieldProps {
  readonly label: string
  readonly value: string
  /** Called with the text when the user stops typing. */
  readonly onSearch: (text: string) => void
}

const settleMs = 60

/** A search field that searches while the user types. The key `/` moves the focus to it. */
export function SearchField({ label, value, onSearch }: SearchFieldProps) {
  const { typed, setTyped, report } = useTyped(value, onSearch)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a change of the typed text starts a search.
  useEffect(() => {
    const timer = setTimeout(() => report(typed), settleMs)
    return () => clearTimeout(timer)
  }, [typed])
  return (
    // Wide enough for the placeholder. If there is too little space, its neighbors move to the next line.
    <div className="search" style={{ flexBasis: `max(220px, ${label.length}ch + 40px)` }}>
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
