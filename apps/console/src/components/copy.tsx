import { useBlocker } from '@tanstack/react-router'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { Button } from './button.tsx'
import { confirmLeaving } from './confirm-leaving.ts'
import { focusOnceFree } from './focus.ts'
import { Icon } from './icon.tsx'

const copiedEvent = 'rolecall-copied'
const failedText = 'Copying failed. The text is selected, so that you can copy it yourself.'

/**
 * Copies a text. If the browser does not allow it, selects the element that shows the text, so that the reader can copy
 * it by hand.
 */
function useCopy(text: string, shown: RefObject<HTMLElement | null>) {
  const [state, setState] = useState<'ready' | 'copied' | 'failed'>('ready')
  useEffect(() => {
    if (state === 'failed' && shown.current) getSelection()?.selectAllChildren(shown.current)
    if (state !== 'copied') return
    const timer = setTimeout(() => setState('ready'), 1_600)
    return () => clearTimeout(timer)
  }, [state, shown])
  const copy = async () => {
    setState('ready')
    try {
      await navigator.clipboard.writeText(text)
      dispatchEvent(new CustomEvent(copiedEvent, { detail: text }))
      setState('copied')
    } catch {
      setState('failed')
    }
  }
  return { isCopied: state === 'copied', isFailed: state === 'failed', copy: () => void copy() }
}

/** Returns true once a text was copied, by a button or by hand, alone or as a part of a longer text. */
function useIsCopied(text: string): boolean {
  const [copied, setCopied] = useState<string>()
  useEffect(() => {
    const note = (event: Event) => {
      const taken = event instanceof CustomEvent ? String(event.detail) : String(getSelection())
      if (taken.includes(text)) setCopied(text)
    }
    addEventListener('copy', note)
    addEventListener(copiedEvent, note)
    return () => {
      removeEventListener('copy', note)
      removeEventListener(copiedEvent, note)
    }
  }, [text])
  return copied === text
}

/** A text, usually an ID, that a click copies. */
export function Copyable({ text, shown = text }: { text: string; shown?: string }) {
  const box = useRef<HTMLSpanElement>(null)
  const { isCopied, isFailed, copy } = useCopy(text, box)
  return (
    <button type="button" className="copyable" onClick={copy} title={`Copy ${text}`}>
      <span ref={box}>{isFailed ? text : shown}</span>
      <Icon name={isCopied ? 'check' : 'copy'} size={13} />
      <span className={isFailed ? undefined : 'unseen'} role="status">
        {isCopied ? 'Copied' : isFailed ? failedText : ''}
      </span>
    </button>
  )
}

/** A button that copies a text, and says whether it has done so. */
function CopyButton({ text, shown }: { text: string; shown: RefObject<HTMLElement | null> }) {
  const { isCopied, isFailed, copy } = useCopy(text, shown)
  return (
    <Button size="small" onClick={copy}>
      <Icon name={isCopied ? 'check' : 'copy'} size={14} />
      <span aria-live="polite">{isCopied ? 'Copied' : isFailed ? failedText : 'Copy'}</span>
    </Button>
  )
}

interface SecretProps {
  readonly text: string
  readonly label: string
  /** True to focus the secret when it appears, so that a screen reader reads it. */
  readonly takesFocus?: boolean
}

/**
 * A secret that is shown only once. The console does not store it. Until it is copied, the user must confirm before
 * they leave the page.
 */
export function Secret({ text, label, takesFocus = true }: SecretProps) {
  const box = useRef<HTMLDivElement>(null)
  const code = useRef<HTMLElement>(null)
  const isCopied = useIsCopied(text)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another secret takes the focus anew.
  useEffect(() => (takesFocus && box.current ? focusOnceFree(box.current) : undefined), [text, takesFocus])
  useBlocker({
    shouldBlockFn: (leaving) =>
      !isCopied && !confirmLeaving(leaving, 'Leave without copying? The secret is not shown again.'),
    enableBeforeUnload: () => !isCopied,
  })
  return (
    // biome-ignore lint/a11y/useSemanticElements: it groups no fields.
    <div className="secret" ref={box} role="group" aria-label={label} tabIndex={-1}>
      <code ref={code}>{text}</code>
      <CopyButton text={text} shown={code} />
    </div>
  )
}

/** A listing of code with a button that copies it. */
export function Code({ title, text }: { title: string; text: string }) {
  const code = useRef<HTMLElement>(null)
  return (
    <figure className="code">
      <figcaption className="code-head">
        {title}
        <CopyButton text={text} shown={code} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard. */}
      <pre tabIndex={0}>
        <code ref={code}>{text}</code>
      </pre>
    </figure>
  )
}
