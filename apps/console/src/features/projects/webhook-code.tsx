import type { InboundWebhook, Project } from '@rolecall/sdk/admin'
import { useEffect, useState } from 'react'
import { Code } from '../../components/copy.tsx'
import { Panel } from '../../components/page.tsx'
import { loadSigning } from './guide-code.ts'

interface WebhookCodeProps {
  readonly project: Project
  readonly webhook: InboundWebhook
  readonly payload: string
}

/** The guide’s commands, filled in for this webhook. They do not contain the secret, which is shown only once. */
export function WebhookCode({ project, webhook: { slug }, payload }: WebhookCodeProps) {
  const [signing, setSigning] = useState('')
  useEffect(() => {
    let isCurrent = true
    void loadSigning(slug, payload).then((code) => isCurrent && setSigning(code))
    return () => {
      isCurrent = false
    }
  }, [slug, payload])
  return (
    <Panel
      title="Sign and send"
      note="For a shell with curl and openssl. It sends the payload above. Fill in the API key and the secret."
    >
      <div className="stack">
        <Code
          title="Environment"
          text={`ROLECALL_URL=${location.origin}\nROLECALL_API_KEY=${project.apiKey.prefix}…\nSECRET=whsec_…`}
        />
        <Code title="Shell" text={signing} />
      </div>
    </Panel>
  )
}
