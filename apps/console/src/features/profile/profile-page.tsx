import type { AdminProfile } from '@rolecall/sdk/admin'
import { logOut } from '../../api/session.ts'
import { Button } from '../../components/button.tsx'
import { Copyable } from '../../components/copy.tsx'
import { memberFacts } from '../../components/member-facts.tsx'
import { Facts, Page as PageFrame, Panel } from '../../components/page.tsx'
import { Problem } from '../../components/states.tsx'
import { useToast } from '../../components/toast.tsx'
import { Fields } from '../../forms/fields.tsx'
import { SaveButtons } from '../../forms/save-buttons.tsx'
import { useForm } from '../../forms/use-form.ts'
import { useProfile } from '../../shell/profile.ts'

/** The signed-in administrator, and the name that the console shows for them. */
export function Page() {
  const profile = useProfile()
  return (
    <PageFrame
      title="Your profile"
      lead="Your account as an administrator."
      width="narrow"
      actions={<Button onClick={() => void logOut()}>Sign out</Button>}
    >
      <Panel title="Account">
        <Facts
          of={[
            ...memberFacts(profile),
            ['Member ID', <Copyable key="id" text={profile.id} />],
            ['Role', standingOf(profile)],
          ]}
        />
      </Panel>
      <Panel title="Preferred name" note="The console shows it instead of your other names.">
        <PreferredName profile={profile} />
      </Panel>
      <Panel title="As a member">
        <p>
          Your sessions in all projects, your stored data, and your consents are on{' '}
          <a href="/account">your account page</a>.
        </p>
      </Panel>
    </PageFrame>
  )
}

function standingOf({ isSystemAdmin, isAuditor, ownedProjects }: AdminProfile): string {
  if (isSystemAdmin) return 'System Admin: you can change everything.'
  if (isAuditor) return 'Auditor: you can read everything and change nothing.'
  return `Owner of ${ownedProjects.map(({ name }) => name).join(', ')}.`
}

function PreferredName({ profile }: { profile: AdminProfile }) {
  const say = useToast()
  const form = useForm('updateProfile', {
    initial: { preferredName: profile.preferredName ?? '' },
    onDone: () => say('Your preferred name is saved.'),
  })
  return (
    <form className="stack" onSubmit={form.submit}>
      <Fields
        form={form}
        keys={['preferredName']}
        helps={{ preferredName: 'At most 255 characters. Leave it empty to show your other names.' }}
      />
      {form.failure && <Problem error={form.failure} />}
      <SaveButtons form={form} label="Save name" />
    </form>
  )
}
