import { useState } from 'react'
import { admin } from '../api/admin.ts'

interface PortraitProps {
  /** The address of the picture at Discord, as the service returns it. */
  readonly of: string | null
  /** The name of the member or server. Without a picture, its first letter is shown. */
  readonly name: string
  readonly size?: 'normal' | 'large'
}

const pixels = { normal: 24, large: 44 } as const

/**
 * A picture of a member or server, loaded through the service, so that the browser of an administrator never contacts
 * Discord.
 */
export function Portrait({ of, name, size = 'normal' }: PortraitProps) {
  const [failed, setFailed] = useState<string>()
  const address = pictureOf(of)
  return (
    <span className="portrait" data-size={size} aria-hidden="true">
      {address === undefined || address === failed ? (
        [...name][0]?.toUpperCase()
      ) : (
        <img
          src={address}
          alt=""
          width={pixels[size]}
          height={pixels[size]}
          loading="lazy"
          onError={() => setFailed(address)}
        />
      )}
    </span>
  )
}

/** Returns the address at which the service serves a picture. Undefined for one of Discord's default pictures. */
export function pictureOf(address: string | null): string | undefined {
  const [, kind, id, hash] = /\/(avatars|icons)\/(\d+)\/([a-z0-9_]+)/.exec(address ?? '') ?? []
  if ((kind !== 'avatars' && kind !== 'icons') || id === undefined || hash === undefined) return undefined
  return admin.address('getImage', { params: { kind, id, hash } })
}
