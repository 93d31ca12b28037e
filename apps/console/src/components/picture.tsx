import { useState } from 'react'
import { admin } from '../api/admin.ts'

/**
 * Returns the address at which the service serves a picture from Discord, because pages contact no other host.
 * Undefined if the URL is not a picture from Discord.
 */
export function pictureAddress(url: string | null): string | undefined {
  const [, kind, id, hash] =
    /\/(avatars|icons)\/(\d{17,20})\/((?:a_)?[0-9a-f]{1,64})\.\w+$/.exec(url ?? '') ?? []
  if ((kind !== 'avatars' && kind !== 'icons') || !id || !hash) return undefined
  return admin.address('getImage', { params: { kind, id, hash } })
}

/** A picture of a member or a server, with the first letter of the name as the fallback. The name is next to it. */
export function Picture({ url, name }: { url: string | null; name: string }) {
  const [failed, setFailed] = useState<string>()
  const address = pictureAddress(url)
  if (address === undefined || address === failed)
    return (
      <span className="avatar" aria-hidden="true">
        {name.charAt(0).toUpperCase()}
      </span>
    )
  return (
    <img
      className="avatar"
      src={address}
      alt=""
      width={26}
      height={26}
      loading="lazy"
      onError={() => setFailed(address)}
    />
  )
}
