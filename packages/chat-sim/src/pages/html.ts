/** Escaped markup. Only values of this class get into a page without being escaped. */
export class Html {
  readonly markup: string

  constructor(markup: string) {
    this.markup = markup
  }
}

type Part = string | number | Html | undefined | false | readonly Part[]

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function render(part: Part): string {
  if (part === undefined || part === false) return ''
  if (part instanceof Html) return part.markup
  if (Array.isArray(part)) return part.map(render).join('')
  return String(part).replace(/[&<>"']/g, (character) => entities[character] ?? character)
}

/** A tag for templates that creates markup. It escapes all values that are not markup themselves. */
export const html = (strings: TemplateStringsArray, ...parts: Part[]): Html =>
  new Html(strings.map((text, i) => text + render(parts[i])).join(''))
