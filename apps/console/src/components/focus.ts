/** Whether a dialog is open, or on its way out: it keeps the focus until it is gone. */
const isAsking = () => document.querySelector('[role="dialog"], [role="alertdialog"]') !== null

/** Gives the focus to something new, as soon as no dialog holds it. What is returned calls it off. */
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
 * Gives the focus to the title of the page when what had it is taken out of the page, so that the keyboard and a screen reader
 * go on from there and not from the top of the document. Returns what ends it.
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
    // Without a title the page is still being loaded: the next change is looked at again.
    title?.focus({ preventScroll: true })
  }
  const observer = new MutationObserver(() => {
    if (!isLost(last)) return
    cancelAnimationFrame(frame)
    // A dialog that has closed gives the focus back in the next frame.
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
