import { redirectUriProblem } from '@rolecall/contract'
import { useId } from 'react'

/** Splits a comma-separated list into its addresses. */
const urisOf = (text: string): readonly string[] =>
  text
    .split(/[\n,]/)
    .map((uri) => uri.trim())
    .filter((uri) => uri !== '')

interface RedirectUrisProps {
  /** Comma-separated, as the service accepts them. */
  readonly value: string
  readonly onChange: (text: string) => void
  /** The error of the service about this field. */
  readonly refused: string | undefined
}

/** A field for redirect URIs, one per line. It checks each by the service's own rule while the user types. */
export function RedirectUris({ value, onChange, refused }: RedirectUrisProps) {
  const id = useId()
  const problems = urisOf(value).flatMap((uri) => {
    const problem = redirectUriProblem(uri)
    return problem ? [{ uri, problem }] : []
  })
  return (
    <div className="field">
      <label htmlFor={id}>Redirect URIs</label>
      <textarea
        id={id}
        className="input mono"
        rows={4}
        value={value.replaceAll(',', '\n')}
        onChange={(event) => onChange(event.target.value.replaceAll('\n', ','))}
        spellCheck={false}
        autoComplete="off"
        placeholder="https://crew.example/auth/callback"
        aria-invalid={problems.length > 0 || refused !== undefined}
        aria-describedby={`${id}-help ${id}-problems`}
      />
      <span className="field-help" id={`${id}-help`}>
        One per line, at most 20. Plain http works only for localhost, 127.0.0.1, and [::1].
      </span>
      <div id={`${id}-problems`} aria-live="polite">
        {problems.map(({ uri, problem }) => (
          <span key={uri} className="field-problem">
            <span>
              <code>{uri}</code> {problem}.
            </span>
          </span>
        ))}
        {problems.length === 0 && refused && <span className="field-problem">{refused}</span>}
        {problems.length === 0 && !refused && urisOf(value).length > 0 && (
          <span className="field-good">All of them are valid.</span>
        )}
      </div>
    </div>
  )
}

/** Returns the addresses of a list that are valid. */
export const goodUris = (text: string): readonly string[] =>
  urisOf(text).filter((uri) => redirectUriProblem(uri) === undefined)

/** Returns true if all addresses of a list are valid, or if the list is empty. */
export const areUrisGood = (text: string): boolean => goodUris(text).length === urisOf(text).length
