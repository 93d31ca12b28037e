import type { Project } from '@rolecall/sdk/admin'
import { useChange } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { Facts, Panel } from '../../components/page.tsx'
import { Problem } from '../../components/states.tsx'
import { useToast } from '../../components/toast.tsx'
import { Fields } from '../../forms/fields.tsx'
import { useForm } from '../../forms/use-form.ts'
import { useMayManage } from '../../shell/profile.ts'

/**
 * The address of the Discord channel that receives notices about a project. It is a credential, so it is never shown in
 * full, and can only be replaced or removed.
 */
export function NoticeAddress({ project }: { project: Project }) {
  const say = useToast()
  const mayManage = useMayManage(project.id)
  const remove = useChange('updateProject')
  const form = useForm('updateProject', {
    initial: {},
    params: { id: project.id },
    isCleared: true,
    onDone: () => say('Notices are posted to the new address.'),
  })
  return (
    <Panel
      title="Notices"
      note="Short messages, such as “A key was replaced”, posted to a Discord channel."
      actions={
        mayManage &&
        project.webhookUrl && (
          <Button
            isBusy={remove.isPending}
            onClick={() =>
              remove.mutate(
                { params: { id: project.id }, body: { webhookUrl: null } },
                { onSuccess: () => say('The address is removed. Notices are no longer posted.') },
              )
            }
          >
            Remove address
          </Button>
        )
      }
    >
      <form className="stack" onSubmit={form.submit}>
        <Facts of={[['Posted to', project.webhookUrl ?? 'No address yet']]} />
        {remove.error && <Problem error={remove.error} />}
        {mayManage && (
          <Fields
            form={form}
            keys={['webhookUrl']}
            labels={{ webhookUrl: project.webhookUrl ? 'New webhook address' : 'Webhook address' }}
            helps={{
              webhookUrl: 'In Discord: channel settings, Integrations, Webhooks. It is stored encrypted.',
            }}
          />
        )}
        {form.failure && <Problem error={form.failure} />}
        {mayManage && (
          <div className="form-actions">
            <Button kind="main" type="submit" isBusy={form.isBusy} disabled={!form.values.webhookUrl}>
              Save webhook address
            </Button>
          </div>
        )}
      </form>
    </Panel>
  )
}
