import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { json, jsonParseLinter } from '@codemirror/lang-json'
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  indentUnit,
  syntaxHighlighting,
} from '@codemirror/language'
import { type Diagnostic, linter, lintGutter } from '@codemirror/lint'
import { EditorState } from '@codemirror/state'
import { EditorView, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { useEffect, useRef, useState } from 'react'
import { placeOf } from './places.ts'
import './json-editor.css'

/** A problem at one place of a JSON value. */
export interface JsonProblem {
  /** The JSON Pointer to the place. */
  readonly path: string
  readonly message: string
}

interface JsonEditorProps {
  readonly label: string
  /** The initial text. */
  readonly text: string
  readonly onChange: (text: string) => void
  /** Returns the problems of a value. Called only for a text that is valid JSON. */
  readonly check: (value: unknown) => Promise<readonly JsonProblem[]>
}

interface Found {
  readonly from: number
  readonly line: number
  readonly message: string
}

/**
 * A JSON editor that marks problems at their place while the user types. Tab leaves it. It is in a shadow root, where a
 * script can add its styles as an adopted sheet. The page's Content-Security-Policy allows that, but no style element.
 */
export function JsonEditor({ label, text, onChange, check }: JsonEditorProps) {
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(undefined)
  const [found, setFound] = useState<readonly Found[]>([])
  const calls = useRef({ onChange, check })
  calls.current = { onChange, check }
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is made once; what it shows is its own from then on.
  useEffect(() => {
    if (!host.current) return
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' })
    const lint = async (editor: EditorView): Promise<Diagnostic[]> => {
      const { doc } = editor.state
      const diagnostics = await problemsIn(editor, calls.current.check)
      setFound(diagnostics.map(({ from, message }) => ({ from, message, line: doc.lineAt(from).number })))
      return diagnostics
    }
    const made = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: text,
        extensions: [
          lineNumbers(),
          history(),
          indentOnInput(),
          indentUnit.of('  '),
          bracketMatching(),
          json(),
          syntaxHighlighting(colors),
          lintGutter(),
          linter(lint, { delay: 250 }),
          keymap.of([...defaultKeymap, ...historyKeymap]),
          look,
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ 'aria-label': label }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) calls.current.onChange(update.state.doc.toString())
          }),
        ],
      }),
    })
    view.current = made
    return () => made.destroy()
  }, [])
  const goTo = (from: number) => {
    view.current?.dispatch({ selection: { anchor: from }, scrollIntoView: true })
    view.current?.focus()
  }
  return (
    <>
      <div className="json-editor" ref={host} />
      {found.length > 0 && (
        <ul className="json-problems" aria-label="Schema problems">
          {found.map(({ from, line, message }) => (
            <li key={`${from} ${message}`}>
              <button type="button" onClick={() => goTo(from)}>
                Line {line}
              </button>{' '}
              {message}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

const parse = jsonParseLinter()

async function problemsIn(editor: EditorView, check: JsonEditorProps['check']): Promise<Diagnostic[]> {
  const { state } = editor
  let value: unknown
  try {
    value = JSON.parse(state.doc.toString())
  } catch {
    return parse(editor)
  }
  return (await check(value)).map(({ path, message }) => ({
    ...placeOf(state, path),
    severity: 'error',
    message: path === '' ? message : `${path} ${message}`,
  }))
}

const colors = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--accent)' },
  { tag: tags.string, color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--warn)' },
])

const look = EditorView.theme({
  '&': { fontSize: '12.5px', color: 'var(--text)', backgroundColor: 'var(--ground)' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-1px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5', minHeight: '220px', maxHeight: '60vh' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-gutters': { color: 'var(--quiet)', backgroundColor: 'var(--sunken)', borderColor: 'var(--line)' },
  '.cm-tooltip': {
    color: 'var(--text)',
    backgroundColor: 'var(--raised)',
    border: '1px solid var(--line-strong)',
  },
})
