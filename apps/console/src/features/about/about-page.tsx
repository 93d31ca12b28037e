import { useQuery } from '@tanstack/react-query'
import { question } from '../../api/queries.ts'
import { Facts, Page as PageFrame, Panel } from '../../components/page.tsx'
import { QueryResult } from '../../components/states.tsx'
import { durationText } from '../../components/time.tsx'
import { useMayRead } from '../../shell/profile.ts'

const links = [
  ['/docs/', 'Documentation', 'tutorials, guides, reference, and operations, with search'],
  ['/api/docs', 'API reference', 'every endpoint, with examples and errors'],
  ['/api/docs/errors', 'Error codes', 'what each code means and how to fix it'],
  ['/api/openapi.json', 'OpenAPI document', 'for code generators and tools'],
  ['/api/health', 'Health', 'the check for orchestrators'],
] as const

const dayS = 86_400
const minuteS = 60

/** The version of the service, and links to read more. */
export function Page() {
  const mayRead = useMayRead()
  return (
    <PageFrame
      title="About"
      lead="Rolecall: sign-in, sessions, and live roles for Discord communities."
      width="narrow"
    >
      {mayRead && <Version />}
      <Panel title="Read more">
        <Facts
          of={links.map(
            ([href, text, what]) =>
              [
                what,
                <a key={href} href={href}>
                  {text}
                </a>,
              ] as const,
          )}
        />
      </Panel>
    </PageFrame>
  )
}

function Version() {
  const health = useQuery(question('systemHealth', {}))
  return (
    <Panel title="This service">
      <QueryResult of={health}>
        {({ api }) => (
          <Facts
            of={[
              ['Version', api.version],
              ['Uptime', durationText(roundedSeconds(api.uptime))],
              ['Instances', [...new Set(api.instances.map(({ version }) => version))].join(', ')],
            ]}
          />
        )}
      </QueryResult>
    </Panel>
  )
}

/** Rounds an uptime down to its largest unit, because the seconds of an uptime of weeks do not matter. */
function roundedSeconds(uptime: number): number {
  const unit = [dayS, 3_600, minuteS].find((length) => uptime >= length) ?? 1
  return Math.floor(uptime / unit) * unit
}
