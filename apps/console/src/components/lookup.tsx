import { useRef, useState } from 'react'
import type { LookupBox, LookupProps } from './lookup-box.tsx'

interface Loaded {
  readonly Box: typeof LookupBox
  /** True if the field has the focus when its list arrives. */
  readonly hasFocus: boolean
}

/**
 * A field that finds something by its name, or takes its ID. Its list is large, so it is loaded when the field gets the
 * focus. Text that is typed before that is kept.
 */
export function Lookup(props: LookupProps) {
  const { label, chosenName } = props
  const input = useRef<HTMLInputElement>(null)
  const [typed, type] = useState<string>()
  const [loaded, setLoaded] = useState<Loaded>()
  const load = async () => {
    try {
      const { LookupBox: Box } = await import('./lookup-box.tsx')
      setLoaded({ Box, hasFocus: document.activeElement === input.current })
    } catch {
      // The next focus tries to load it again.
    }
  }
  if (loaded) return <loaded.Box {...props} typed={typed} autoFocus={loaded.hasFocus} />
  return (
    <span className="lookup">
      <input
        ref={input}
        className="input"
        role="combobox"
        aria-label={label}
        aria-expanded={false}
        placeholder={label}
        spellCheck={false}
        autoComplete="off"
        value={typed ?? chosenName}
        onFocus={() => void load()}
        onBlur={() => type(undefined)}
        onChange={({ target }) => type(target.value)}
      />
    </span>
  )
}
