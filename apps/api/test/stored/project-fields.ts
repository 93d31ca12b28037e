import { demo } from '@rolecall/chat-sim'
import { formats, redirectUriProblem } from '@rolecall/contract'
import { call } from '../client.ts'
import { authorizePath, walkLogin } from '../given.ts'
import { auditedChange, byId, fitsInAddress, isStorable, personalData, type StoredField } from './field.ts'

/** Returns the stored form of a name: NFC, by the rules of `Name` in the contract. */
export const keptName =
  (max = 100) =>
  (text: string) =>
    text.length <= max && formats.name(text) ? text.normalize('NFC') : undefined

const projects = '/api/admin/projects'

/** Makes a row for a field that is part of the project record. */
const ofProject = (
  field: string,
  of: 'project' | 'quiet',
  {
    value,
    at,
    kept,
  }: Pick<StoredField, 'kept'> & { value: (text: string) => object; at: (project: Shown) => unknown },
): StoredField => ({
  title: `${field} of a project`,
  covers: [`PATCH ${projects}/{id} ${field}`],
  kept,
  store: (stage, text) => stage.ask('PATCH', `${projects}/${stage[of].id}`, value(text)),
  read: async (stage, { body }) => ({
    answer: at(body),
    single: at((await stage.ask('GET', `${projects}/${stage[of].id}`)).body),
    list: at((await stage.ask('GET', projects)).body.data.find(byId(stage[of].id))),
  }),
})

type Shown = Record<string, unknown> & { oidc: Record<string, unknown>; redirectUris: string[] }

const description = ofProject('/description', 'project', {
  value: (text) => ({ description: text }),
  at: (project) => project['description'],
  kept: (text) => (text.length <= 2_000 && isStorable(text) ? text : undefined),
})

const keptUri = (text: string) => (redirectUriProblem(uriOf(text)) === undefined ? uriOf(text) : undefined)
const uriOf = (text: string) => `https://site.example/${text}`
/** Returns a resource unchanged, if it has only the characters of a URI without a fragment (RFC 3986 §2). */
const keptResource = (text: string) =>
  resourceOf(text).length <= 512 && /^[a-z0-9\-._~:/?[\]@!$&'()*+,;=%]*$/i.test(text)
    ? resourceOf(text)
    : undefined
const resourceOf = (text: string) => `https://api.example/${text}`
/** Returns a host unchanged if it is a host in its normal form. */
const keptClientHost = (text: string) =>
  /^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/.test(clientHostOf(text)) &&
  !text.includes('.xn--') &&
  clientHostOf(text).length <= 259
    ? clientHostOf(text)
    : undefined
const clientHostOf = (text: string) => `tools${text}.example`
/** Returns an outgoing address as the URL parser writes it. */
const keptAddress = (text: string) =>
  addressOf(text).length <= 2_048 && isStorable(text) && !/[\s\\\p{Cc}#]/u.test(text)
    ? new URL(addressOf(text)).href
    : undefined
const addressOf = (text: string) => `http://127.0.0.1:65001/events?x=${text}`

const name: StoredField = {
  title: 'the name of a project',
  covers: [
    `PATCH ${projects}/{id} /name`,
    `GET ${projects} ?name`,
    `GET ${projects}/access/matrix ?projectName`,
  ],
  kept: keptName(),
  store: ({ ask, project }, text) => ask('PATCH', `${projects}/${project.id}`, { name: text }),
  read: async (stage, { body }, text) => {
    const { ask, project, ada } = stage
    const search = encodeURIComponent(text)
    const ofThis = ({ projectId }: { projectId: string }) => projectId === project.id
    const matrix = await ask('GET', `${projects}/access/matrix?projectId=${project.id}&projectName=${search}`)
    const sessions = (await ask('GET', `/api/admin/members/${ada}/sessions`)).body.sessions
    return {
      answer: body.name,
      single: (await ask('GET', `${projects}/${project.id}`)).body.name,
      'list, by a search for it': (await ask('GET', `${projects}?name=${search}`)).body.data.find(
        byId(project.id),
      )?.name,
      'access matrix, by a search for it': matrix.body.data.find(ofThis)?.projectName,
      'sessions of a member': sessions.find(ofThis)?.projectName,
      'personal data': (await personalData(stage, ada)).sessions.find(ofThis)?.projectName,
      'page of an account': (await stage.accountPage()).includes(body.name) ? body.name : 'not there',
      ...(await auditedChange(stage, project.id, 'name')),
    }
  },
}

const redirectUris: StoredField = {
  title: 'a redirect URI',
  covers: [
    `PATCH ${projects}/{id}/redirect-uri /redirectUri`,
    `POST ${projects}/{id}/redirect-uris /uri`,
    `DELETE ${projects}/{id}/redirect-uris ?uri`,
    'GET /api/auth/authorize ?redirect_uri',
  ],
  kept: (text) => (/,|^\s|\s$/.test(text) ? undefined : keptUri(text)),
  // A comma separates addresses.
  isSendable: (text) => !text.includes(',') && text.trim() === text,
  store: async ({ ask, quiet }, text) => {
    const [list, one] = [`${projects}/${quiet.id}/redirect-uri`, `${projects}/${quiet.id}/redirect-uris`]
    const set = await ask('PATCH', list, { redirectUri: uriOf(text) })
    if (set.status !== 200) return set
    await ask('DELETE', `${one}?uri=${encodeURIComponent(uriOf(text))}`)
    return ask('POST', one, { uri: uriOf(text) })
  },
  read: async (stage, { body }, text) => {
    const { ask, quiet, world } = stage
    const path = authorizePath(quiet.id, { redirect_uri: uriOf(text) })
    const back = await walkLogin(world, path, { cancel: true })
    return {
      answer: body.redirectUris[0],
      single: (await ask('GET', `${projects}/${quiet.id}`)).body.redirectUris[0],
      list: (await ask('GET', projects)).body.data.find(byId(quiet.id)).redirectUris[0],
      'where a browser is sent': back.href.startsWith(new URL(uriOf(text)).href) ? uriOf(text) : back.href,
      ...(await auditedChange(stage, quiet.id, 'redirectUris', (uris) => (uris as string[])[0])),
    }
  },
}

const state: StoredField = {
  title: 'the state of a login',
  covers: ['GET /api/auth/authorize ?state', 'GET /api/auth/sso/authorize ?state'],
  isSendable: fitsInAddress,
  kept: (text) => (text.length <= 2_048 && isStorable(text) ? text : undefined),
  store: ({ world, project }, text) => call(world.url, 'GET', authorizePath(project.id, { state: text })),
  read: async ({ world, project }, _reply, text) => {
    const back = await walkLogin(world, authorizePath(project.id, { state: text }), { cancel: true })
    const sso = authorizePath(project.id, { state: text, prompt: 'none' })
    const loginRequired = await call(world.url, 'GET', sso.replace('/authorize', '/sso/authorize'))
    return {
      'where a browser is sent': back.searchParams.get('state'),
      'where a browser is sent at once': new URL(
        loginRequired.headers.get('location') ?? '',
      ).searchParams.get('state'),
    }
  },
}

const keyNote: StoredField = {
  title: 'the note of an API key',
  covers: [`POST ${projects}/{id}/keys /note`],
  kept: keptName(),
  store: ({ ask, quiet }, text) => ask('POST', `${projects}/${quiet.id}/keys`, { note: text }),
  read: async (stage, { body }) => {
    const { ask, quiet } = stage
    const keys = (await ask('GET', `${projects}/${quiet.id}/keys`)).body.data
    const audited = await auditedChange(stage, quiet.id, 'note')
    await ask('DELETE', `${projects}/${quiet.id}/keys/${body.id}`)
    return { list: keys.find(byId(body.id))?.note, ...audited }
  },
}

const replacedKeyNote: StoredField = {
  title: 'the note of a replaced API key',
  covers: [`POST ${projects}/{id}/regenerate-api-key /note`],
  kept: keptName(),
  store: ({ ask, quiet }, text) => ask('POST', `${projects}/${quiet.id}/regenerate-api-key`, { note: text }),
  read: async ({ ask, quiet }, { body }) => {
    const keys = (await ask('GET', `${projects}/${quiet.id}/keys`)).body.data
    return { list: keys.find(({ prefix }: { prefix: string }) => prefix === body.prefix)?.note }
  },
}

let created = 0
const atCreation = (text: string) => `${text} ${created}`

/** Creates projects with text in every field. */
const creation: StoredField = {
  title: 'a project that is created',
  covers: [
    ...['/name', '/description', '/eventsUrl', '/inboundWebhook/name', '/inboundWebhook/schema'],
    ...[
      '/oidc/postLogoutRedirectUris/*',
      '/oidc/backchannelLogoutUri',
      '/oidc/resources/*',
      '/oidc/clientHosts/*',
    ],
    '/groupNames',
  ].map((field) => `POST ${projects} ${field}`),
  kept: (text) => (keptName(90)(text) && isStorable(text) ? text.normalize('NFC') : undefined),
  store: ({ ask }, text) => {
    created += 1
    return ask('POST', projects, {
      name: atCreation(text),
      description: text,
      eventsUrl: keptAddress(text) ?? addressOf(''),
      inboundWebhook: { name: text, schema: { const: text } },
      groupNames: { [demo.roles.crew]: text },
      oidc: {
        postLogoutRedirectUris: [keptUri(text) ?? uriOf('')],
        backchannelLogoutUri: keptAddress(text) ?? addressOf(''),
        // A resource belongs to one project.
        resources: [`${keptResource(text) ?? resourceOf('')}?${created}`],
        clientHosts: [keptClientHost(text) ?? clientHostOf('')],
      },
    })
  },
  read: async ({ ask }, { body }, text) => {
    const { data } = (await ask('GET', `${projects}?limit=1`)).body
    const webhooks = (await ask('GET', `${projects}/${body.project.id}/inbound-webhooks`)).body.data
    const shown = Object.entries({ answer: body.project, list: data[0] }).flatMap(([exit, project]) => [
      [`name in ${exit}`, project.name.replace(/ \d+$/, '')],
      // Only names are normalized.
      [`description in ${exit}`, same(project.description, text)],
      [`groupNames in ${exit}`, project.groupNames[demo.roles.crew]],
      [`eventsUrl in ${exit}`, same(project.eventsUrl, keptAddress(text) ?? addressOf(''), text)],
      [
        `postLogoutRedirectUris in ${exit}`,
        same(project.oidc.postLogoutRedirectUris[0], keptUri(text) ?? uriOf(''), text),
      ],
      [
        `backchannelLogoutUri in ${exit}`,
        same(project.oidc.backchannelLogoutUri, keptAddress(text) ?? addressOf(''), text),
      ],
      [
        `resources in ${exit}`,
        same(project.oidc.resources[0].replace(/\?\d+$/, ''), keptResource(text) ?? resourceOf(''), text),
      ],
      [
        `clientHosts in ${exit}`,
        same(project.oidc.clientHosts[0], keptClientHost(text) ?? clientHostOf(''), text),
      ],
    ])
    return {
      ...Object.fromEntries(shown),
      'webhook name in answer': body.inboundWebhook.name,
      'webhook name in list': webhooks[0].name,
      'webhook schema in list': same(webhooks[0].schema.const, text),
    }
  },
}

/** Returns the stored form of the text when the value is as expected, and otherwise the value. */
const same = (value: unknown, wanted: string, text = wanted) =>
  value === wanted ? text.normalize('NFC') : value

export const projectFields: readonly StoredField[] = [
  name,
  description,
  ofProject('/eventsUrl', 'quiet', {
    value: (text) => ({ eventsUrl: addressOf(text) }),
    at: (project) => project['eventsUrl'],
    kept: keptAddress,
  }),
  ofProject('/oidc/backchannelLogoutUri', 'quiet', {
    value: (text) => ({ oidc: { backchannelLogoutUri: addressOf(text) } }),
    at: ({ oidc }) => oidc['backchannelLogoutUri'],
    kept: keptAddress,
  }),
  ofProject('/oidc/postLogoutRedirectUris/*', 'quiet', {
    value: (text) => ({ oidc: { postLogoutRedirectUris: [uriOf(text)] } }),
    at: ({ oidc }) => (oidc['postLogoutRedirectUris'] as string[])[0],
    kept: keptUri,
  }),
  ofProject('/groupNames', 'quiet', {
    value: (text) => ({ groupNames: { [demo.roles.crew]: text } }),
    at: ({ groupNames }) => (groupNames as Record<string, string>)[demo.roles.crew],
    kept: keptName(),
  }),
  ofProject('/oidc/resources/*', 'quiet', {
    value: (text) => ({ oidc: { resources: [resourceOf(text)] } }),
    at: ({ oidc }) => (oidc['resources'] as string[])[0],
    kept: keptResource,
  }),
  ofProject('/oidc/clientHosts/*', 'quiet', {
    value: (text) => ({ oidc: { clientHosts: [clientHostOf(text)] } }),
    at: ({ oidc }) => (oidc['clientHosts'] as string[])[0],
    kept: keptClientHost,
  }),
  redirectUris,
  state,
  keyNote,
  replacedKeyNote,
  creation,
]
