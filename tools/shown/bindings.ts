/** Binds commands that a page shows to the test or the script that runs them. */
export interface Binding {
  /** The path of the test or the script. */
  readonly by: string
  /** The code blocks of this page are run from top to bottom. With `sections`, only the blocks below these headings. */
  readonly page?: string
  readonly sections?: readonly string[]
  /** Single commands that it runs, wherever they are shown. */
  readonly commands?: readonly string[]
}

const pasted = 'acceptance/browser/pasted-commands.test.ts'
const examples = ['express', 'fastify', 'hono', 'next', 'python-fastapi', 'sveltekit']

/** All bindings of shown commands. */
export const bindings: readonly Binding[] = [
  {
    by: '.ci/run',
    commands: [
      '.ci/run',
      'npm ci',
      'npm run lint',
      'npm run typecheck',
      'npm run docs:site',
      'npm test',
      "npm test -- --project '*'",
    ],
  },
  {
    by: 'tools/check-start.js',
    commands: [
      'git clone https://github.com/rolecall/rolecall.git',
      'cd rolecall',
      'npm ci && npm start',
      'npm start',
      'npm run build',
    ],
  },
  ...[
    'backend',
    'administering',
    'curl',
    'inbound-webhooks',
    'events',
    'first-project',
    'forward-auth',
    'openid-connect',
  ].map((name) => ({
    by: pasted,
    page: `docs/guides/${name}.md`,
  })),
  { by: pasted, page: 'examples/demo-site/src/summary.ts' },
  {
    by: pasted,
    commands: [
      "curl -s '…/api/servers/…/members?limit=50'",
      `curl -sS "$ROLECALL_URL/api/auth/validate" -H "X-API-Key: $ROLECALL_API_KEY" -H 'Content-Type: application/json' -d '{"token":"'"$TOKEN"'"}'`,
    ],
  },
  { by: 'acceptance/browser/examples.test.ts', commands: examples.map((name) => `npm run example ${name}`) },
  ...['express', 'fastify'].map((name) => ({
    by: 'tools/peers/client-guides.test.ts',
    page: `docs/guides/stacks/${name}.md`,
  })),
  { by: 'tools/sdk/stacks.test.ts', page: 'docs/guides/stacks/next.md' },
  { by: 'tools/sdk/installed.ts', commands: ['npm run pack -w packages/sdk'] },
  {
    by: 'tools/peers/client-init.test.ts',
    commands: [
      'npx --no --offline rolecall-init --url http://127.0.0.1:3000 --app-url http://127.0.0.1:8080 --client-id <project ID> --server-id 1100089314336833537 --key - < key.txt',
      'npx --no --offline rolecall-init --url https://id.example --client-id <project ID> --server-id <server ID> --key - < key.txt',
      'npx --no --offline rolecall-init --url https://id.example --app-url http://127.0.0.1:8080 --client-id <project ID> --server-id <server ID> --key - < key.txt',
      'npx --no --offline rolecall-init --url https://id.example --app-url http://localhost:3000 --client-id <project ID> --server-id <server ID> --key - < key.txt',
      'npx --no --offline rolecall-init --url https://id.example --app-url http://localhost:8787 --client-id <project ID> --server-id <server ID> --key - < key.txt',
      'npx --no --offline rolecall-init --url https://id.example --key - < key.txt',
      'npx --no --offline rolecall-init',
    ],
  },
  ...['php', 'go', 'java'].map((name) => ({ by: 'clients/guides.test.ts', page: `docs/guides/${name}.md` })),
  ...['README', 'authlib', 'better-auth', 'next-auth', 'oidc-client-ts', 'omniauth', 'passport'].map(
    (name) => ({
      by: 'apps/api/test/process/relying-parties.browser.test.ts',
      page: `docs/guides/programs/${name}.md`,
    }),
  ),
  { by: 'tools/shown/help-examples.test.ts', page: 'apps/api/src/main.ts' },
  {
    by: 'tools/shown/help-examples.test.ts',
    commands: [
      'node --cpu-prof --cpu-prof-dir=FOLDER "$(command -v rolecall)" serve',
      'rolecall --help',
      'rolecall audit verify',
      'rolecall doctor',
      'rolecall init --help',
      'rolecall migrate',
      'rolecall oidc rotate-keys',
      'rolecall projects create Site --redirect-uri https://site.example/callback',
      'rolecall serve',
      'rolecall sessions revoke --all',
    ],
  },
  { by: 'apps/api/test/process/games-guide.test.ts', page: 'docs/guides/games-bots-command-lines.md' },
  {
    by: 'apps/api/test/process/restore.test.ts',
    page: 'docs/guides/backup.md',
    sections: [
      'Back up PostgreSQL',
      'Restore PostgreSQL',
      'Back up the embedded database',
      'Restore the embedded database',
      'After every restore',
    ],
  },
  {
    by: 'clients/python/python.test.ts',
    commands: ['uvicorn app:app --port 8080 --env-file .env'],
  },
  { by: 'apps/api/test/process/move-to-postgresql.test.ts', page: 'docs/guides/postgresql.md' },
  { by: 'apps/api/test/process/init.test.ts', commands: ['rolecall init'] },
  { by: 'apps/api/test/process/command-line.test.ts', page: 'docs/guides/command-line.md' },
  {
    by: 'apps/api/test/process/command-line.test.ts',
    commands: [
      'rolecall login https://id.example',
      'rolecall login --paste https://id.example',
      'rolecall token https://id.example',
      'rolecall logout https://id.example',
    ],
  },
  {
    by: 'tools/shown/single-commands.test.ts',
    commands: [
      'openssl rand -hex 32',
      'openssl rand -base64 32',
      'npm run bench -- --help',
      'npx rolecall openapi',
    ],
  },
  { by: 'tools/package.test.ts', commands: ['node tools/pack-service.js'] },
]

/** The commands that texts only mention, so that readers do not type them. */
export const named: readonly string[] = [
  'node --test',
  'npm init -y',
  'npm install',
  'npm publish',
  'npm run example <name>',
  'npm sbom',
  'npx --no --offline',
  'npx --no --offline rolecall-init [options]',
  'rolecall login',
  'rolecall login --paste',
  'rolecall restore',
  'rolecall restore FILE',
  'rolecall token',
]

/** The commands that only a program prints, with the reason why no test runs them. Output of programs has no marks. */
export const printedOnly: Readonly<Record<string, string>> = {
  'docker compose --env-file … up -d': 'needs a Docker engine; tools/try-compose.js runs it by hand',
  'npx wrangler secret put ROLECALL_API_KEY': 'needs an account of Cloudflare',
}
