import { useEffect, useRef, useState } from 'react'
import { Button } from './button.tsx'
import { focusOnceFree } from './focus.ts'
import { Icon } from './icon.tsx'

function useCopy(text: string): { isCopied: boolean; copy: () => void } {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), 1_600)
    return () => clearTimeout(timer)
  }, [isCopied])
  return {
    isCopied,
    copy: () => void navigator.clipboard.writeText(text).then(() => setCopied(true)),
  }
}

/** A text, usually an ID, that a click copies. */
export function Copyable({ text, shown = text }: { text: string; shown?: string }) {
  const { isCopied, copy } = useCopy(text)
  return (
    <button type="button" className="copyable" onClick={copy} title={`Copy ${text}`}>
      {shown}
      <Icon name={isCopied ? 'check' : 'copy'} size={13} />
      <span className="unseen" role="status">
        {isCopied ? 'Copied' : ''}
      </span>
    </button>
  )
}

/** A button that copies a text, and says that it has done so. */
export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const { isCopied, copy } = useCopy(text)
  return (
    <Button size="small" onClick={copy}>
      <Icon name={isCopied ? 'check' : 'copy'} size={14} />
      <span aria-live="polite">{isCopied ? 'Copied' : label}</span>
    </Button>
  )
}

interface SecretProps {
  readonly text: string
  readonly label: string
  /** True to focus the secret when it appears, so that a screen reader reads it. */
  readonly takesFocus?: boolean
}

/** A secret that is shown only once. The console does not store it. */
export function Secret({ text, label, takesFocus = true }: SecretProps) {
  const box = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another secret takes the focus anew.
  useEffect(() => (takesFocus && box.current ? focusOnceFree(box.current) : undefined), [text, takesFocus])
  return (
    // biome-ignore lint/a11y/useSemanticElements: it groups no fields.
    <div className="secret" ref={box} role="group" aria-label={label} tabIndex={-1}>
      <code>{text}</code>
      <CopyButton text={text} />
    </div>
  )
}

/** A listing of code with a button that copies it. */
export const Code = ({ title, text }: { title: string; text: string }) => (
  <figure className="code">
    <figcaption className="code-head">
      {title}
      <CopyButton text={text} />
    </figcaption>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard. */}
    <pre tabIndex={0}>
      <code>{text}</code>
    </pre>
  </figure>
)
