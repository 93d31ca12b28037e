import { redirectUriProblem } from '@rolecall/contract'
import { useId } from 'react'

/** The addresses of a list as it is sent. */
const urisOf = (text: string): readonly string[] =>
  text
    .split(/[\n,]/)
    .map((uri) => uri.trim())
    .filter((uri) => uri !== '')

interface RedirectUrisProps {
  /** Comma-separated, as the service takes them. */
  readonly value: string
  readonly onChange: (text: string) => void
  /** What the service said of it. */
  readonly refused: string | undefined
}

/** Addresses that a login may lead back to, one a line, each checked by the service's own rule as it is typed. */
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
        One a line, 20 at most. https, or http on this computer only: localhost, 127.0.0.1 or [::1].
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
          <span className="field-good">All of them can be used.</span>
        )}
      </div>
    </div>
  )
}

/** Those of a list that can be used. */
export const goodUris = (text: string): readonly string[] =>
  urisOf(text).filter((uri) => redirectUriProblem(uri) === undefined)

/** Whether all of a list can be used; none at all is no fault. */
export const areUrisGood = (text: string): boolean => goodUris(text).length === urisOf(text).length
