import { createLink } from '@tanstack/react-router'
import type { AnchorHTMLAttributes, ButtonHTMLAttributes, Ref } from 'react'

interface Look {
  /** `main` is for the one main action of a page. `danger` opens a confirmation, and `destroy` confirms it. */
  readonly kind?: 'plain' | 'main' | 'danger' | 'destroy' | 'quiet'
  readonly size?: 'normal' | 'small' | 'icon'
}

type ButtonProps = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'className'> &
  Look & {
    /** True while the action of this button runs. It cannot start twice, and the button keeps the focus. */
    readonly isBusy?: boolean
    readonly ref?: Ref<HTMLButtonElement>
  }

/** A button of the console. */
export const Button = ({
  kind = 'plain',
  size = 'normal',
  isBusy = false,
  onClick,
  ...rest
}: ButtonProps) => (
  <button
    type="button"
    className="button"
    data-kind={kind}
    data-size={size}
    {...rest}
    {...(isBusy ? { 'aria-disabled': true, 'aria-busy': true } : { onClick })}
  />
)

type AnchorProps = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'className'> &
  Look & { readonly ref?: Ref<HTMLAnchorElement> }

const Anchor = ({ kind = 'plain', size = 'normal', children, ...rest }: AnchorProps) => (
  <a className="button" data-kind={kind} data-size={size} {...rest}>
    {children}
  </a>
)

/** A link of the console that looks like a button. */
export const ButtonLink = createLink(Anchor)

/** A link out of the application, to a file or a page of the service, that looks like a button. */
export const ButtonAnchor = Anchor
