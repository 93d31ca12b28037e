import type { Project } from './keep.ts'
import type { Sample } from './sample-session.ts'

interface Started {
  readonly urls: { readonly service: string; readonly site: string }
  readonly controlUrl: string
  readonly project: Project
  readonly sample: Sample
  readonly adminToken: string
  /** The data folder, relative to the place where the demo was started. */
  readonly place: string
  readonly listeningMs: number
}

/** Returns the summary for a person who has just typed `npm start`. */
export function summary({
  urls,
  controlUrl,
  project,
  sample,
  adminToken,
  place,
  listeningMs,
}: Started): string {
  const seconds = (listeningMs / 1000).toFixed(1)
  return `
${bold('Rolecall is running')} (listening after ${seconds} s; Ctrl-C ends it)

  Demo site        ${link(urls.site)}
  Console          ${link(`${urls.service}/console/`)}   sign in as Mara Lind, a System Admin
  API pages        ${link(`${urls.service}/api/docs`)}
  Simulator        ${link(controlUrl)}   stands in for Discord: give and remove roles here
  Your own app     npm run example express, in another terminal; then “Add it to your app” in the README

${bold('Sign in on the demo site as')}
  Mara Lind        steward, and System Admin of the service
  Joon Park        captain, port watch
  Ada Osei         crew
  Tomás Vrána      deckhand, starboard watch
  Emil Strand      not a member, so refused, like Viktor Krog, who is banned

${bold('The demo site’s project')} (kept in ${place}/demo.json; the data in ${place}/db)
  id               ${project.id}
  API key          ${project.apiKey}

${bold('Validate a session of Ada, and read her current roles')}
${'token' in sample ? validateOf(urls.service, project.apiKey, sample.token) : `  ${sample.missing}`}

${bold('Administer it as Mara')} (more in docs/guides/administering.md; this session lasts 12 hours)
  export ADMIN_TOKEN=${adminToken}
  curl -s '${urls.service}/api/admin/members?search=berg&limit=2' -H "authorization: Bearer $ADMIN_TOKEN"
`
}

const validateOf = (service: string, apiKey: string, token: string) =>
  `  curl -s ${service}/api/auth/validate -H 'content-type: application/json' \\
    -H 'x-api-key: ${apiKey}' \\
    -d '{"token":"${token}"}'`

const isPlain = !process.stdout.isTTY || Boolean(process.env['NO_COLOR'])
const bold = (text: string) => (isPlain ? text : `\u001b[1m${text}\u001b[22m`)
const link = (text: string) => (isPlain ? text : `\u001b[36m${text}\u001b[39m`)
