import render from 'dom-serializer'
import { type ChildNode, type Document, Element, isTag, isText } from 'domhandler'
import { parseDocument } from 'htmlparser2'
import type { ResolvedLink } from './links.ts'
import type { PlacedPage } from './navigation.ts'

/** The part of a page below one heading, for the search. */
interface Part {
  readonly anchor: string
  readonly heading: string
  readonly text: string
}

interface Heading {
  readonly level: number
  readonly anchor: string
  readonly text: string
}

/** The text of a page as HTML, with everything that the checks and the search need to know about it. */
export interface Content {
  readonly html: string
  readonly anchors: ReadonlySet<string>
  readonly headings: readonly Heading[]
  readonly links: readonly NonNullable<ResolvedLink['to']>[]
  readonly parts: readonly Part[]
  readonly problems: readonly string[]
}

interface Resolvers {
  readonly link: (from: string, href: string) => ResolvedLink
  /** Returns the address of a picture within the site. Undefined if the file does not exist. */
  readonly picture: (from: string, path: string) => string | undefined
}

const elements = new Set(
  (
    'a b blockquote br code dd del details div dl dt em h1 h2 h3 h4 h5 h6 hr i img kbd li ol p picture pre s source span strong ' +
    'sub summary sup table tbody td th thead tr ul'
  ).split(' '),
)

/**
 * Rewrites the links and the pictures of rendered Markdown. Reports what does not work for a reader, such as broken
 * links, and what the Content-Security-Policy would block.
 */
export function readContent(
  { source, searchesText }: PlacedPage,
  rendered: string,
  resolve: Resolvers,
): Content {
  const document = parseDocument(rendered)
  const problems: string[] = []
  const links: NonNullable<ResolvedLink['to']>[] = []
  for (const element of elementsIn(document)) {
    problems.push(...problemsOf(element).map((problem) => `${source}: ${problem}`))
    const { attribs } = element
    if (attribs['href'] !== undefined) {
      const { href, to, problem } = resolve.link(source, attribs['href'])
      attribs['href'] = href
      if (to) links.push(to)
      if (problem !== undefined) problems.push(`${problem}.`)
    }
    for (const name of ['src', 'srcset']) {
      const path = attribs[name]
      if (path === undefined) continue
      const address = resolve.picture(source, path)
      if (address === undefined)
        problems.push(`${source} shows ${path}, which is not a picture in this repository.`)
      else attribs[name] = address
    }
    // Makes an empty header cell a normal cell, because screen readers would announce a header without text.
    if (element.name === 'th' && textOf(element).trim() === '') element.name = 'td'
  }
  const all = elementsIn(document)
  const headings = all.filter(isHeading).map(describeHeading)
  return {
    html: render(document, { encodeEntities: 'utf8' }),
    anchors: new Set(all.flatMap(({ attribs }) => attribs['id'] ?? [])),
    headings,
    links,
    parts: partsOf(document, searchesText),
    problems,
  }
}

function problemsOf({ name, attribs }: Element): string[] {
  const problems: string[] = []
  if (!elements.has(name))
    problems.push(`<${name}> is not an element that pages may contain. Escape it, or write it as code.`)
  if (name === 'img' && !attribs['alt']?.trim())
    problems.push(`the picture ${attribs['src']} has no alt text.`)
  for (const attribute of Object.keys(attribs))
    if (/^(style|on\w+)$/.test(attribute)) problems.push(`<${name}> has the attribute ${attribute}.`)
  return problems
}

function elementsIn(node: Document | Element): Element[] {
  return node.children.flatMap((child) => (isTag(child) ? [child, ...elementsIn(child)] : []))
}

const isHeading = (node: ChildNode): node is Element => isTag(node) && /^h[1-6]$/.test(node.name)

const describeHeading = (heading: Element): Heading => ({
  level: Number(heading.name.slice(1)),
  anchor: heading.attribs['id'] ?? '',
  text: textOf(heading),
})

const textOf = (node: ChildNode): string =>
  isText(node) ? node.data : node instanceof Element ? node.children.map(textOf).join('') : ''

/** Returns the text between headings. Leaves out code blocks, because they contain the same words on many pages. */
function partsOf(document: Document, searchesText: boolean): readonly Part[] {
  const parts: { anchor: string; heading: string; text: string }[] = []
  for (const node of document.children) {
    if (isHeading(node)) {
      const { anchor, text } = describeHeading(node)
      parts.push({ anchor, heading: text, text: '' })
      continue
    }
    const last = parts.at(-1)
    if (last && searchesText) last.text += ` ${proseOf(node)}`
  }
  return parts.map((part) => ({ ...part, text: part.text.replaceAll(/\s+/g, ' ').trim() }))
}

function proseOf(node: ChildNode): string {
  if (isText(node)) return node.data
  if (!(node instanceof Element) || node.name === 'pre') return ''
  const text = node.children.map(proseOf).join('')
  return /^(td|th|li|p|tr|summary)$/.test(node.name) ? ` ${text} ` : text
}
