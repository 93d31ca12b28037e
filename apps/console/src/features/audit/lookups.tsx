import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { question } from '../../api/queries.ts'
import { Lookup } from '../../components/lookup.tsx'
import { pastedIn } from '../../shell/pasted.ts'

interface IdFilterProps {
  /** The ID in the address. */
  readonly id: string
  readonly onChoose: (id: string) => void
}

/** The maximum number of choices in a list. If there are more, the user types another letter. */
const maxChoices = 8

const isMemberId = (text: string) => pastedIn(text)?.kind === 'member'
const isTargetId = (text: string) => ['member', 'project'].includes(pastedIn(text)?.kind ?? '')

/** Filters the log by a person, by name or ID: the changes that they made, and those about them. */
export function PersonFilter({ id, onChoose }: IdFilterProps) {
  const [search, setSearch] = useState('')
  const known = useQuery({
    ...question('listMemberServers', { params: { chat_user_id: id } }),
    enabled: isMemberId(id),
  })
  const found = useQuery({
    ...question('listMembers', { query: { search, limit: maxChoices } }),
    enabled: search !== '',
  })
  const person = known.data?.memberId === id ? known.data : undefined
  return (
    <Lookup
      label="Person"
      chosenName={person ? (person.globalName ?? person.username) : id}
      choices={(found.data?.data ?? []).map(({ memberId, globalName, username }) => ({
        id: memberId,
        name: globalName ?? username,
        note: username,
      }))}
      isId={isMemberId}
      onSearch={setSearch}
      onChoose={onChoose}
    />
  )
}

/** Filters the log by a project, which is found by its name, or by any object, which is found by its ID. */
export function TargetFilter({ id, onChoose }: IdFilterProps) {
  const [search, setSearch] = useState('')
  const projects = useQuery(question('listProjects', { query: {} }))
  const all = projects.data?.data ?? []
  const typed = search.toLowerCase()
  return (
    <Lookup
      label="Project, or any ID"
      chosenName={all.find((one) => one.id === id)?.name ?? id}
      choices={all.filter(({ name }) => name.toLowerCase().includes(typed)).slice(0, maxChoices)}
      isId={isTargetId}
      onSearch={setSearch}
      onChoose={onChoose}
    />
  )
}
