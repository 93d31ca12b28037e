/** Returns true while a dialog is open or closing. It keeps the focus until it is removed. */
const isAsking = () => document.querySelector('[role="dialog"], [role="alertdialog"]') !== null

/** Moves the focus to a new element as soon as no dialog holds it. Returns a function that cancels the move. */
export function focusOnceFree(element: HTMLElement): () => void {
  if (!isAsking()) {
    element.focus()
    return () => {}
  }
  const observer = new MutationObserver(() => {
    if (isAsking()) return
    observer.disconnect()
    element.focus()
  })
  observer.observe(document.body, { childList: true, subtree: true })
  return () => observer.disconnect()
}

/**
 * Moves the focus to the page title if the focused element is removed, so that the keyboard and a screen reader
 * continue there and not at the top of the document. Returns a function that stops it.
 */
export function keepFocus(): () => void {
  let last: Element | null = null
  let frame = 0
  const note = () => {
    last = document.activeElement === document.body ? null : document.activeElement
  }
  const mend = () => {
    if (!isLost(last) || isAsking()) return
    const title = document.querySelector<HTMLElement>('main h1')
    // A page without a title is still loading. The next change checks again.
    title?.focus({ preventScroll: true })
  }
  const observer = new MutationObserver(() => {
    if (!isLost(last)) return
    cancelAnimationFrame(frame)
    // A dialog that has closed returns the focus in the next frame.
    frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(mend)
    })
  })
  document.addEventListener('focusin', note)
  document.addEventListener('click', note, true)
  observer.observe(document.body, { childList: true, subtree: true })
  return () => {
    cancelAnimationFrame(frame)
    observer.disconnect()
    document.removeEventListener('focusin', note)
    document.removeEventListener('click', note, true)
  }
}

const isLost = (last: Element | null): boolean =>
  last !== null && !last.isConnected && document.activeElement === document.body
