import { escapeHtml } from '#platform/http/escape-html'

/** Text that is HTML, and is not escaped again. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Value = Html | string | number | false | undefined | readonly Value[]

/**
 * Builds HTML from a template. Escapes all values except those of type `Html`. `false` and `undefined` become nothing.
 */
export const html = (parts: TemplateStringsArray, ...values: Value[]): Html =>
  new Html(parts.map((part, index) => part + render(values[index])).join(''))

function render(value: Value): string {
  if (value === undefined || value === false) return ''
  if (value instanceof Html) return value.text
  return typeof value === 'object' ? value.map(render).join('') : escapeHtml(String(value))
}

/** Converts a sentence of the contract to HTML. Text between backticks becomes a `code` element. */
export const prose = (text: string): Html[] =>
  text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))
