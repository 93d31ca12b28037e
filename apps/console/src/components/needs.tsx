import type { Attention } from '@rolecall/sdk/admin'
import { ButtonLink } from './button.tsx'
import { Status } from './chip.tsx'
import { docsAddress } from './guides.ts'
import { countText } from './number.tsx'
import { Panel } from './page.tsx'
import { helpPages } from './runbooks.ts'
import { Time } from './time.tsx'
import './needs.css'

/**
 * Lists open problems, each with its fix and its runbook. Hidden if there are none, because readers stop noticing a
 * panel that is always there.
 */
export const Needs = ({ title, items }: { title: string; items: readonly Attention[] }) =>
  items.length > 0 && (
    <Panel title={title} note={countText(items.length, 'problem')} flush>
      <ul className="needs">
        {items.map((item) => (
          <li key={`${item.code} ${item.subject?.id} ${item.detail}`}>
            <Status tone={item.severity === 'error' ? 'bad' : 'warn'}>
              {item.severity === 'error' ? 'Now' : 'Soon'}
            </Status>
            <div>
              <strong>{item.title}</strong>
              <p>{item.detail}</p>
              <p className="quiet">
                {item.mend} <HelpLink code={item.code} title={item.title} />
              </p>
            </div>
            <span className="quiet needs-since">{item.since && <Time at={item.since} />}</span>
            {item.subject?.type === 'project' && (
              <ButtonLink size="small" to="/projects/$id" params={{ id: item.subject.id }}>
                Open <bdi>{item.subject.name}</bdi>
              </ButtonLink>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  )

/** A link to the page that explains the problem. A newer service may report a code that this console does not know. */
function HelpLink({ code, title }: Pick<Attention, 'code' | 'title'>) {
  const page: string | undefined = helpPages[code]
  if (page === undefined) return null
  return (
    <a href={docsAddress(page)} target="_blank" rel="noreferrer">
      {page.startsWith('runbooks/') ? 'Runbook' : 'Guide'}
      <span className="unseen">: {title}</span>
    </a>
  )
}
