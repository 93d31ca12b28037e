/** Formats the names in plain sentences as code, for pages of Markdown. */

const variable = /\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/
const bearer = /Authorization: Bearer(?: <\w+>)?/
const plainHeader = /\b(?:Allow|Expect|Host|Location)(?= header)/
const header = /(?<![\w-])(?:X|[A-Z][a-z]+)(?:-[A-Z][A-Za-z]+)+(?:: (?:[\w-]+\/[\w-]+|t=<[\w ]+>,v1=<\w+>))?/
const json = /\{"[^}]*\}+/
const field = /\b(?:[a-z]+(?:[A-Z]\w*|(?:_[a-z]+)+)(?:\.\w+)*|oidc\.\w+)\b/
const grant = /\bREAD\b/
const path = /(?:\b(?:GET|POST|PUT|PATCH|DELETE) )?(?<![\w/])\/(?:api|auth)\/[\w/{}-]*[\w}]/
const named = new RegExp(
  [/`[^`]*`/, path, json, bearer, header, plainHeader, variable, grant, field]
    .map(({ source }) => source)
    .join('|'),
  'g',
)

/**
 * Marks paths, headers, JSON, variables, and fields as code. `linkOf` returns the address of an endpoint's description
 * for its method and path, e.g. `GET /api/events`.
 */
export const markCode = (text: string, linkOf: (request: string) => string | undefined): string =>
  text.replace(named, (name) => {
    const code = name.startsWith('`') ? name : `\`${name}\``
    const link = linkOf(name)
    return link === undefined ? code : `[${code}](${link})`
  })
