import { expect } from 'vitest'
import { arrived } from '../given-channel.ts'
import { submit } from '../given-webhook.ts'
import { auditedChange, byId, csvRows, isStorable, type Stage, type StoredField } from './field.ts'
import { keptName } from './project-fields.ts'

const adminPath = '/api/admin/projects/{projectId}/inbound-webhooks'
const ownPath = '/api/inbound-webhooks'
const pathOf = ({ project, hook }: Stage) => `/api/admin/projects/${project.id}/inbound-webhooks/${hook.id}`

/** The two endpoints that change a webhook. */
const ways = {
  'an administrator': {
    path: `${adminPath}/{webhookId}`,
    change: (stage: Stage, body: object) => stage.ask('PATCH', pathOf(stage), body),
  },
  'its project': {
    path: `${ownPath}/{id}`,
    change: ({ own, hook }: Stage, body: object) => own('PATCH', `${ownPath}/${hook.id}`, body),
  },
}

const schemaOf = (text: string) => ({
  title: text,
  properties: { [`key ${text}`]: { enum: [text] } },
  'x-note': [text],
})

const inSchema = (exit: string, schema: ReturnType<typeof schemaOf>) => ({
  [`title in ${exit}`]: schema.title,
  [`key in ${exit}`]: Object.keys(schema.properties)[0]?.slice('key '.length),
  [`constant in ${exit}`]: Object.values<{ enum: string[] }>(schema.properties)[0]?.enum[0],
  [`note in ${exit}`]: schema['x-note'][0],
})

const changes = Object.entries(ways).flatMap(([who, { path, change }]): StoredField[] => [
  {
    title: `the name of a webhook, by ${who}`,
    covers: [`PATCH ${path} /name`, 'GET /api/admin/inbound-webhooks ?name'],
    kept: keptName(),
    store: (stage, text) => change(stage, { name: text }),
    read: async (stage, { body }, text) => {
      const { ask, own, hook, project } = stage
      const search = `/api/admin/inbound-webhooks?name=${encodeURIComponent(text)}`
      return {
        answer: body.name,
        single: (await ask('GET', pathOf(stage))).body.name,
        'list of a project': (
          await ask('GET', `/api/admin/projects/${project.id}/inbound-webhooks`)
        ).body.data.find(byId(hook.id)).name,
        'list of all, by a search for it': (await ask('GET', search)).body.data.find(byId(hook.id))?.name,
        'single of its project': (await own('GET', `${ownPath}/${hook.id}`)).body.name,
        'list of its project': (await own('GET', ownPath)).body.data.find(byId(hook.id)).name,
        ...(await auditedChange(stage, hook.id, 'name')),
      }
    },
  },
  {
    title: `the schema of a webhook, by ${who}`,
    covers: [`PATCH ${path} /schema`],
    kept: (text) => (isStorable(text) ? text : undefined),
    store: (stage, text) => change(stage, { schema: schemaOf(text) }),
    read: async (stage, { body }, text) => {
      const { world, project, hook, ask, own } = stage
      const fits = await submit(world, project, hook.id, { body: { [`key ${text}`]: text } })
      const other = await submit(world, project, hook.id, { body: { [`key ${text}`]: `${text}?` } })
      return {
        ...inSchema('answer', body.schema),
        ...inSchema('single', (await ask('GET', pathOf(stage))).body.schema),
        ...inSchema('single of its project', (await own('GET', `${ownPath}/${hook.id}`)).body.schema),
        'submission that fits': fits.status === 201 ? text : fits.text,
        'submission that does not fit': other.status === 422 ? text : other.text,
      }
    },
  },
])

const creations = Object.entries({
  [`POST ${adminPath}`]: ({ ask, quiet }: Stage, body: object) =>
    ask('POST', `/api/admin/projects/${quiet.id}/inbound-webhooks`, body),
  [`POST ${ownPath}`]: ({ own }: Stage, body: object) => own('POST', ownPath, body),
}).map(
  ([endpoint, create]): StoredField => ({
    title: `a webhook that is created by ${endpoint}`,
    covers: [`${endpoint} /name`, `${endpoint} /schema`],
    kept: (text) => (isStorable(text) ? keptName()(text) : undefined),
    store: (stage, text) => create(stage, { name: text, schema: schemaOf(text.normalize('NFC')) }),
    read: async ({ ask }, { body }) => {
      const path = `/api/admin/projects/${body.projectId}/inbound-webhooks/${body.id}`
      const single = await ask('GET', path)
      await ask('DELETE', path)
      return {
        'name in answer': body.name,
        'name in single': single.body.name,
        ...inSchema('answer', body.schema),
        ...inSchema('single', single.body.schema),
      }
    },
  }),
)

/** Writes a text as JSON with an escape for every character. */
const escaped = (text: string) =>
  `"${Array.from({ length: text.length }, (_, i) => `\\u${text.charCodeAt(i).toString(16).padStart(4, '0')}`).join('')}"`

const payloadOf = (text: string) => {
  const json = JSON.stringify(text)
  const whole = `{ "text":${json},\n\t${json} : [${json}, -1.50, 700000000000000001]`
  return text.length > 1_000 ? `${whole}}` : `${whole},"escaped": ${escaped(text)} }`
}

const payload: StoredField = {
  title: 'a submission',
  covers: [`POST ${ownPath}/{id}/submit payload`],
  // Duplicate keys are rejected.
  isSendable: (text) => text !== 'text' && text !== 'escaped',
  // JSON escapes NUL and lone surrogates, and the payload is stored as JSON text.
  kept: (text) => text,
  store: async (stage, text) => {
    await stage.own('PATCH', `${ownPath}/${stage.hook.id}`, { schema: {} })
    return submit(stage.world, stage.project, stage.hook.id, { raw: payloadOf(text) })
  },
  read: async (stage, { body: { id } }, text) => {
    const { ask, asAda, hook } = stage
    const raw = payloadOf(text)
    const pages = {
      list: await ask('GET', `${pathOf(stage)}/submissions?limit=5`),
      'list of a member': await asAda('GET', `${ownPath}/${hook.id}/submissions?limit=5`),
    }
    const csv = (await csvRows(stage, `${pathOf(stage)}/submissions/export`)).find((row) => row['id'] === id)
    return {
      ...Object.fromEntries(
        Object.entries(pages).flatMap(([exit, { body, text: page }]) => [
          [`${exit}, as bytes`, page.includes(`"payload":${raw}}`) ? text : page],
          [`${exit}, as JSON`, body.data.find(byId(id))?.payload.text],
        ]),
      ),
      'CSV, as bytes':
        csv?.['payload']?.replaceAll("'", '') === raw.replaceAll("'", '') ? text : csv?.['payload'],
    }
  },
}

const isPrintable = (text: string) => /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text)

const idempotencyKey: StoredField = {
  title: 'an idempotency key',
  covers: [`POST ${ownPath}/{id}/submit Idempotency-Key`],
  isSendable: isPrintable,
  kept: (text) => (/^[\x21-\x7e]{1,255}$/.test(text) ? text : undefined),
  store: ({ world, project, hook }, text) =>
    submit(world, project, hook.id, { body: { text }, headers: { 'idempotency-key': text } }),
  read: async ({ world, project, hook }, { body: { id } }, text) => {
    const headers = { 'idempotency-key': text }
    const [again, other, longer] = await Promise.all([
      submit(world, project, hook.id, { body: { text }, headers }),
      submit(world, project, hook.id, { body: { other: text }, headers }),
      submit(world, project, hook.id, {
        body: { text },
        headers: { 'idempotency-key': `${text}\\`.slice(-255) },
      }),
    ])
    return {
      'the same again': again.body.id === id ? text : again.text,
      'another body': other.body.code === 'IDEMPOTENCY_KEY_REUSED' ? text : other.text,
      'another key': longer.body.id !== id || text.length === 255 ? text : longer.text,
    }
  },
}

const origin: StoredField = {
  title: 'the origin of a submission',
  covers: [`POST ${ownPath}/{id}/submit Origin`],
  isSendable: (text) => isPrintable(text) && text.length <= 255,
  kept: (text) => text,
  store: ({ world, project, hook }, text) =>
    submit(world, project, hook.id, { body: { text }, headers: { origin: text } }),
  read: async (stage, { body: { id } }) => ({
    list: (await stage.ask('GET', `${pathOf(stage)}/submissions?limit=5`)).body.data.find(byId(id))?.origin,
    'list of a member': (
      await stage.asAda('GET', `${ownPath}/${stage.hook.id}/submissions?limit=5`)
    ).body.data.find(byId(id))?.origin,
    CSV: (await csvRows(stage, `${pathOf(stage)}/submissions/export`)).find((row) => row['id'] === id)?.[
      'origin'
    ],
  }),
}

/** Notifications about submissions contain the name of the webhook. */
const notified: StoredField = {
  title: 'the name of a webhook, as a channel is told',
  covers: [],
  kept: keptName(),
  store: ({ ask, told, toldHook }, text) =>
    ask('PATCH', `/api/admin/projects/${told.id}/inbound-webhooks/${toldHook.id}`, { name: text }),
  read: async ({ world, told, toldHook, ask }) => {
    const { body } = await submit(world, told, toldHook.id, { body: {} })
    const nameIn = (text: string) =>
      text.replace('Inbound webhook ', '').replace(` accepted submission ${body.id}.`, '')
    const find = () =>
      arrived(world, told).find(({ description = '' }) => description.includes(body.id))?.description
    await expect.poll(find, { interval: 5 }).toBeDefined()
    const deliveries = await ask('GET', `/api/admin/projects/${told.id}/deliveries?limit=1`)
    return {
      // Removes the backslashes that escape the platform's markup.
      'message in the channel': nameIn((find() ?? '').replace(/\\([\\`*~|<>[\]()/])/g, '$1')),
      'list of deliveries': nameIn(deliveries.body.data[0].text),
    }
  },
}

export const webhookFields: readonly StoredField[] = [
  ...changes,
  ...creations,
  payload,
  idempotencyKey,
  origin,
  notified,
]
