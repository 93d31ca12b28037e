import type { AdminProfile } from '@rolecall/sdk/admin'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { question } from '../api/queries.ts'
import type { IconName } from '../components/icon.tsx'
import { latestOfEach, whyLink } from '../components/refusals.tsx'
import { exactFirst, pastedIn } from './pasted.ts'
import { tabsNamed } from './project-tabs.ts'

/** A search result, with the address of its page. */
export interface Found {
  readonly id: string
  readonly text: string
  readonly note: string
  readonly icon: IconName
  readonly to: string
}

const settleMs = 120
/** The maximum numbers of results of each kind. */
const maxProjects = 12
const maxMembers = 8
/** The minimum number of letters for a search by name. Fewer letters match nearly every name. */
const minLetters = 2

/**
 * Returns the projects, members, and keys that match the typed text: a part of a name, an ID, or the beginning of a
 * key.
 */
export function useFound(
  profile: AdminProfile,
  typed: string,
): { readonly found: readonly Found[]; readonly isAsking: boolean } {
  const mayRead = profile.isSystemAdmin || profile.isAuditor
  const settled = useSettled(typed.trim())
  const pasted = pastedIn(settled)
  const projects = useQuery({ ...question('listProjects', { query: {} }), enabled: mayRead })
  const all = mayRead ? (projects.data?.data ?? []) : profile.ownedProjects
  const isKnown = all.some(({ id }) => id === pasted?.id)

  // Never searches a pasted key as a name. So no secret part of it is sent to the service.
  const isName = mayRead && pasted === undefined && settled.length >= minLetters
  const members = useQuery({
    ...question('listMembers', { query: { search: settled, limit: maxMembers } }),
    enabled: isName,
  })
  const refused = useQuery({
    ...question('listRefusedLogins', { query: { search: settled, limit: maxMembers } }),
    enabled: isName,
  })
  const member = useQuery({
    ...question('listMemberServers', { params: { chat_user_id: pasted?.id ?? '' } }),
    enabled: mayRead && pasted?.kind === 'member',
  })
  const project = useQuery({
    ...question('getProject', { params: { id: pasted?.id ?? '' } }),
    enabled: pasted?.kind === 'project' && !isKnown,
  })
  const replaced = useQuery({
    ...question('replacedKeys'),
    enabled: mayRead && pasted?.kind === 'key',
  })

  const keys = [
    ...(mayRead && projects.data ? projects.data.data : []).map(({ id, name, apiKey }) => ({
      prefix: apiKey.prefix,
      ...{ id, name },
    })),
    ...(replaced.data?.data ?? []).map(({ prefix, projectId, projectName }) => ({
      ...{ prefix, id: projectId, name: projectName },
    })),
  ]
  // The previous response stays until the next one arrives. So this uses the response only if it is for the typed ID.
  const ofId = member.data?.memberId === pasted?.id && member.data ? [member.data] : []
  const people = isName ? (members.data?.data ?? []) : ofId
  const others = project.data?.id === pasted?.id && project.data && !isKnown ? [project.data] : []
  return {
    isAsking: members.isFetching || refused.isFetching || member.isFetching || project.isFetching,
    found: [
      ...(pasted?.kind === 'key' ? keys.filter(({ prefix }) => prefix.startsWith(pasted.id)) : []).map(
        ({ prefix, id, name }): Found => ({
          id: `key-${id}-${prefix}`,
          text: `${prefix}… of ${name}`,
          note: 'Key',
          icon: 'key',
          to: `/projects/${id}/keys`,
        }),
      ),
      ...exactFirst([...all, ...others], typed)
        .slice(0, maxProjects)
        .map(
          ({ id, name }): Found => ({
            id: `project-${id}`,
            text: name,
            note: 'Project',
            icon: 'projects',
            to: `/projects/${id}`,
          }),
        ),
      ...tabsNamed(all, typed).map(
        ({ project, path, text }): Found => ({
          id: `tab-${project.id}${path}`,
          text: `${project.name}: ${text}`,
          note: 'Project',
          icon: 'projects',
          // Opens the audit log and not the tab of the project, because only the log has more filters and a download.
          // Owners may not open the log.
          to: path === '/audit' && mayRead ? `/audit?about=${project.id}` : `/projects/${project.id}${path}`,
        }),
      ),
      ...people.map(
        ({ memberId, username, globalName }): Found => ({
          id: `member-${memberId}`,
          text: globalName ? `${globalName} (${username})` : username,
          note: 'Member',
          icon: 'members',
          to: `/members/${memberId}`,
        }),
      ),
      ...(isName ? latestOfEach(refused.data?.data ?? []) : [])
        .filter(({ memberId }) => !people.some((person) => person.memberId === memberId))
        .map(
          (entry): Found => ({
            id: `refused-${entry.memberId}`,
            text: entry.displayName ? `${entry.displayName} (${entry.username})` : entry.username,
            note: entry.code === 'not_a_member' ? 'Not a member' : 'Refused',
            icon: 'members',
            to: whyLink(entry),
          }),
        ),
      // Offers this for every member ID, even of an account that is in no server: those are looked up most.
      ...(mayRead && pasted?.kind === 'member'
        ? [
            {
              id: `why-${pasted.id}`,
              text: `Why can’t ${ofId[0]?.username ?? pasted.id} sign in?`,
              note: 'Why',
              icon: 'members' as const,
              to: `/members/${pasted.id}/why`,
            },
          ]
        : []),
    ],
  }
}

/** Returns the text once it has not changed for `settleMs`. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), settleMs)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}
