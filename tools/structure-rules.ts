import { findCycle, findDangling, isTest, type SourceGraph } from './source-graph.ts'

/** A rule about how files depend on each other. Its title states the rule, and `find` returns every violation. */
export interface Rule {
  readonly title: string
  readonly find: (graph: SourceGraph) => readonly string[]
  /** A file that breaks the rule. A test adds it, and checks that the rule finds it. */
  readonly planted: { readonly path: string; readonly text: string }
}

const api = 'apps/api/src'
/** The maximum number of lines of a file. A longer file should become two. */
const maxLines = 340
/** The maximum number of lines of a test. It is higher, because many tests are tables that are read row by row. */
const maxTestLines = 500
/** The files that may be longer, each with the reason. */
const longFiles: Record<string, string> = {
  'apps/api/src/config.ts': 'a table: a few lines for each variable',
  'packages/contract/src/webhooks.ts': 'a table: eleven endpoints and their schemas',
  'packages/contract/src/errors.ts': 'a table: one row for each code',
  'packages/sdk/src/contract-types.ts': 'generated from the contract',
  'packages/sdk/src/admin-types.ts': 'generated from the contract',
  'apps/api/src/platform/cache/redis-cache.test.ts':
    'one fault after another, on one set of servers and relays',
}
/** The files that may contain SQL: stores, and the files of the mirror. */
const stores =
  /\/([\w-]+-)?store\.ts$|^apps\/api\/src\/mirror\/(write-(members|servers)|read-(roles|servers|members))\.ts$/
/** The files that convert the filters of a request to SQL conditions. The statements themselves are in stores. */
const conditions = [
  'apps/api/src/features/audit/filters.ts',
  'apps/api/src/features/monitoring/read-auth-failures.ts',
  'apps/api/src/features/webhooks/read-submissions.ts',
]
const knowsDiscord = [
  'wiring/configured-chat.ts',
  'wiring/create-deps.ts',
  'features/projects/webhook-url.ts',
]
const tracer = `${api}/platform/tracing/open-telemetry.ts`
/** The lists that are known to be short, each with the reason. */
const shortLists: Record<string, string> = {
  'apps/api/src/config.ts': 'as many problems as there are variables',
  'apps/api/src/chat/discord/gateway/gateway.ts': 'as many as there are shards',
  'apps/api/src/chat/discord/webhook/webhook.ts': 'two',
}

type IsAllowed = (imported: string, importer: string) => boolean

/** Returns a check that lists the imports of files matching `from` that are not allowed, as "file → import". */
const imports =
  (from: RegExp, isAllowed: IsAllowed, { tests = false } = {}): Rule['find'] =>
  ({ names, importsOf }) =>
    names
      .filter((name) => from.test(name) && (tests || !isTest(name)))
      .flatMap((name) => importsOf(name).flatMap((one) => (isAllowed(one, name) ? [] : [`${name} → ${one}`])))

/** Returns a check that lists the files outside of tests that match `from` and contain `pattern`, except `allowed`. */
const contains =
  (
    from: RegExp,
    pattern: RegExp,
    allowed: readonly string[] | RegExp = [],
    { tests = false } = {},
  ): Rule['find'] =>
  ({ names, codeOf }) =>
    names.filter(
      (name) =>
        from.test(name) &&
        (tests || !isTest(name)) &&
        !(allowed instanceof RegExp ? allowed.test(name) : allowed.includes(name)) &&
        pattern.test(codeOf(name)),
    )

/** Returns a condition that allows imports from these layers of the service and from packages. */
const onlyLayers =
  (...layers: string[]): IsAllowed =>
  (one) =>
    !one.startsWith('apps/') || layers.some((layer) => one.startsWith(`${api}/${layer}/`))

const featureOf = (path: string) => /^apps\/api\/src\/features\/([^/]+)\//.exec(path)?.[1]
const isOurs = (one: string) => /^(apps|packages|examples|bench|tools|clients)\//.test(one)

/** All rules about the structure of the sources. */
export const rules: readonly Rule[] = [
  {
    title: 'no file imports itself by any detour, types included',
    find: findCycle,
    planted: {
      path: `${api}/responses/roles.ts`,
      text: "import type { FactCache } from '#session-memory/fact-cache'",
    },
  },
  {
    title: 'every import of our own names a file that is there, by path, alias or package',
    find: findDangling,
    planted: {
      path: `${api}/planted.ts`,
      text: "import { x } from '#session-memory/none'\nimport '#nowhere/x'",
    },
  },
  {
    // To connect features, app.ts and create-deps.ts pass functions.
    title: 'no feature imports another feature',
    find: imports(/^apps\/api\/src\/features\//, (one, importer) => {
      const to = featureOf(one)
      return to === undefined || to === featureOf(importer)
    }),
    planted: { path: `${api}/features/blocks/planted.ts`, text: "import '../sessions/validate.ts'" },
  },
  {
    title: 'the mirror imports the audit log, the member fields, the chat port and the platform only',
    find: imports(/^apps\/api\/src\/mirror\//, onlyLayers('mirror', 'audit', 'member', 'chat', 'platform')),
    planted: { path: `${api}/mirror/planted.ts`, text: "import '#session-memory/fact-cache'" },
  },
  {
    title: 'the audit log imports the platform only',
    find: imports(/^apps\/api\/src\/audit\//, onlyLayers('audit', 'platform')),
    planted: { path: `${api}/audit/planted.ts`, text: "import '#mirror/write-members'" },
  },
  {
    title: 'the deliveries import the audit log and the platform only',
    find: imports(/^apps\/api\/src\/deliveries\//, onlyLayers('deliveries', 'audit', 'platform')),
    planted: { path: `${api}/deliveries/planted.ts`, text: "import '../features/events/event-kind.ts'" },
  },
  {
    title: 'the member fields import the platform only',
    find: imports(/^apps\/api\/src\/member\//, onlyLayers('member', 'platform')),
    planted: { path: `${api}/member/planted.ts`, text: "import '#chat/chat-platform'" },
  },
  {
    title: 'the languages import no other layer',
    find: imports(/^apps\/api\/src\/languages\//, onlyLayers('languages')),
    planted: { path: `${api}/languages/planted.ts`, text: "import '#platform/async'" },
  },
  {
    title: 'the platform imports the languages of its pages only',
    find: imports(/^apps\/api\/src\/platform\//, onlyLayers('platform', 'languages')),
    planted: { path: `${api}/platform/db/planted.ts`, text: "import '#audit/event'" },
  },
  {
    title: 'the session memory imports the member fields, the responses and the platform only',
    find: imports(
      /^apps\/api\/src\/session-memory\//,
      onlyLayers('session-memory', 'member', 'responses', 'platform'),
    ),
    planted: { path: `${api}/session-memory/planted.ts`, text: "import '#mirror/freshness'" },
  },
  {
    title: 'the responses import no other layer',
    find: imports(/^apps\/api\/src\/responses\//, onlyLayers('responses')),
    planted: { path: `${api}/responses/planted.ts`, text: "import '#platform/db/sql'" },
  },
  {
    title: 'the mirror throws no HTTP error',
    find: imports(/^apps\/api\/src\/mirror\//, (one) => !one.startsWith(`${api}/platform/http/`)),
    planted: { path: `${api}/mirror/planted.ts`, text: "import '#platform/http/api-error'" },
  },
  {
    title: 'the dependencies of use cases name no feature',
    find: imports(/^apps\/api\/src\/deps\.ts$/, (one) => featureOf(one) === undefined),
    planted: {
      path: `${api}/deps.ts`,
      text: "import type { Standing } from './features/dry-run/store.ts'",
    },
  },
  {
    title: 'the chat adapter imports the platform only',
    find: imports(/^apps\/api\/src\/chat\//, onlyLayers('chat', 'platform')),
    planted: { path: `${api}/chat/planted.ts`, text: "import '../config.ts'" },
  },
  {
    title:
      'everything else knows the chat platform by its port, except the wiring and the check of webhook addresses',
    find: imports(
      /^apps\/api\/src\/(?!chat\/)/,
      (one, importer) =>
        !one.startsWith(`${api}/chat/discord/`) || knowsDiscord.includes(importer.slice(api.length + 1)),
    ),
    planted: { path: `${api}/mirror/planted.ts`, text: "import '#chat/discord/objects'" },
  },
  {
    title: 'only the chat adapter imports libraries of the chat platform',
    find: imports(
      /^apps\/api\/src\/(?!chat\/)/,
      (one) => !/^(discord-api-types|@discordjs\/|oauth4webapi)/.test(one),
    ),
    planted: {
      path: `${api}/mirror/planted.ts`,
      text: "import type { APIGuild } from 'discord-api-types/v10'",
    },
  },
  {
    title: 'the contract imports its schema library only',
    find: imports(
      /^packages\/contract\//,
      (one) => one.startsWith('packages/contract/') || one === 'typebox',
    ),
    planted: { path: 'packages/contract/src/planted.ts', text: "import '@rolecall/sdk'" },
  },
  {
    // Browsers load this package, and so do worker threads that run hostile schemas.
    title: 'the checker of tenants’ schemas imports nothing of ours',
    find: imports(
      /^packages\/tenant-schema\//,
      (one) => one.startsWith('packages/tenant-schema/') || (!isOurs(one) && !one.startsWith('@rolecall/')),
    ),
    planted: { path: 'packages/tenant-schema/src/planted.ts', text: "import '@rolecall/contract'" },
  },
  {
    title: 'a browser can load the checker of tenants’ schemas: only its workers import Node.js',
    find: imports(/^packages\/tenant-schema\/src\/(?!workers\/)/, (one) => !/^node:|\/workers\//.test(one)),
    planted: { path: 'packages/tenant-schema/src/json/planted.ts', text: "import 'node:fs'" },
  },
  {
    title: 'the simulator imports nothing of ours',
    find: imports(
      /^packages\/chat-sim\//,
      (one) => one.startsWith('packages/chat-sim/') || (!isOurs(one) && !one.startsWith('@rolecall/')),
    ),
    planted: { path: 'packages/chat-sim/src/planted.ts', text: "import '@rolecall/contract'" },
  },
  {
    title: 'the service imports the contract, the checker of tenants’ schemas and no other package of ours',
    find: imports(
      /^apps\/api\/src\//,
      (one) =>
        !isOurs(one) ||
        one.startsWith('apps/api/') ||
        one.startsWith('packages/tenant-schema/') ||
        one === 'packages/contract/src/index.ts',
    ),
    planted: { path: `${api}/planted.ts`, text: "import '@rolecall/chat-sim'" },
  },
  {
    title: 'packages and examples import nothing of the service',
    find: imports(/^(packages|examples)\//, (one) => !one.startsWith('apps/api/')),
    planted: { path: 'packages/sdk/src/planted.ts', text: "import '@rolecall/api/deps'" },
  },
  {
    title: 'the console imports nothing of the service',
    find: imports(/^apps\/console\/src\//, (one) => !one.startsWith('apps/api/')),
    planted: { path: 'apps/console/src/planted.ts', text: "import '@rolecall/api/platform/db/sql'" },
  },
  {
    title: 'the client library imports types of the contract only',
    find: imports(/^packages\/sdk\//, (one) =>
      one.startsWith('packages/') ? /^packages\/(sdk|contract)\//.test(one) : !isOurs(one),
    ),
    planted: { path: 'packages/sdk/src/planted.ts', text: "import '@rolecall/chat-sim'" },
  },
  {
    // Acceptance tests may know only what everyone knows who has the address of a service.
    title: 'acceptance imports nothing of the service',
    find: imports(/^acceptance\//, (one) => !/^(apps|bench)\/|^#/.test(one), { tests: true }),
    planted: { path: 'acceptance/api/planted.test.ts', text: "import '@rolecall/api/app'" },
  },
  {
    title: 'a store throws no HTTP error',
    find: imports(stores, (one) => !one.startsWith(`${api}/platform/http/`)),
    planted: { path: `${api}/features/blocks/store.ts`, text: "import '#platform/http/api-error'" },
  },
  {
    title: 'only stores speak SQL',
    find: imports(
      /^apps\/api\/src\/(features|deliveries|mirror|audit|session-memory)\//,
      (one, importer) =>
        one !== `${api}/platform/db/sql.ts` || stores.test(importer) || conditions.includes(importer),
    ),
    planted: { path: `${api}/features/blocks/routes.ts`, text: "import { sql } from '#platform/db/sql'" },
  },
  {
    title: 'the environment of the process is read in one file of the service',
    find: contains(
      /./,
      /\bprocess\.env\b/,
      /^(apps\/api\/src\/process\/environment\.ts|packages\/sdk\/|acceptance\/|bench\/|tools\/|examples\/|packages\/chat-sim\/(bin|src\/cli))/,
    ),
    planted: { path: `${api}/planted.ts`, text: 'export const port = process.env.PORT' },
  },
  {
    // Instances must agree on what has expired, so only the clock of the database decides. A lease is measured by its
    // holder.
    title: 'no feature decides by the clock of its machine',
    find: contains(/^apps\/api\/src\/(features|deliveries|session-memory)\//, /\bDate\.now\(\)/, [
      `${api}/session-memory/clock.ts`,
    ]),
    planted: { path: `${api}/features/blocks/planted.ts`, text: 'export const now = () => Date.now()' },
  },
  {
    title: 'no file calls URL.canParse, which is wrong about Latin-1 text once it is optimized',
    find: contains(/./, /URL\.canParse\(/, /^tools\/structure-rules\.ts$/, { tests: true }),
    planted: { path: `${api}/planted.ts`, text: "export const is = URL.canParse('x')" },
  },
  {
    // Arguments are stored on the stack. A list of a hundred thousand items, which a client can send, throws a
    // RangeError.
    title: 'no list becomes the arguments of a call, unless it is known to be short',
    find: contains(
      /^(apps\/api|packages\/tenant-schema)\/src\//,
      /\b(push|unshift|splice|max|min|fromCharCode|fromCodePoint)\((?:[^()]*,\s*)?\.\.\./,
      Object.keys(shortLists),
    ),
    planted: { path: `${api}/planted.ts`, text: 'export const most = (all: number[]) => Math.max(...all)' },
  },
  {
    // `check-internals.ts` exercises the private parts in that file before the service listens.
    title: 'private parts of Node.js and of libraries are read in one file',
    find: contains(/^(apps\/api|packages)\/.*src\//, /(?:\.|\['|')_[a-z]\w*'? in |[\w)\]]\??\._[a-z]\w*/, [
      `${api}/platform/http/node-internals.ts`,
    ]),
    planted: {
      path: `${api}/planted.ts`,
      text: 'export const noted = (socket: { _httpMessage: unknown }) => socket._httpMessage',
    },
  },
  {
    title: 'no file is longer than a reader follows',
    find: ({ names, linesOf }) =>
      names
        .filter((name) => longFiles[name] === undefined)
        .filter((name) => linesOf(name) > (isTest(name) ? maxTestLines : maxLines))
        .map((name) => `${name}: ${linesOf(name)}`),
    planted: { path: `${api}/planted.ts`, text: '\n'.repeat(maxLines) },
  },
  {
    // Traces that are not sent cost nothing, not even memory.
    title: 'tracing libraries are imported by one file',
    find: imports(/^apps\//, (one, importer) => !/^@opentelemetry\//.test(one) || importer === tracer),
    planted: { path: `${api}/planted.ts`, text: "import '@opentelemetry/api'" },
  },
  {
    title: 'that file is imported only when it is needed',
    find: contains(/./, /from '#platform\/tracing\/open-telemetry'/, /^tools\/structure-rules\.ts$/, {
      tests: true,
    }),
    planted: { path: `${api}/planted.ts`, text: "import { x } from '#platform/tracing/open-telemetry'" },
  },
]
