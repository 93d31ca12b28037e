import type { PageTexts } from './page-texts.ts'

/** Simplified Chinese, 您. Not yet reviewed by a native reader: each correction is one line. */
export const zhHans: PageTexts = {
  tryAgain: '重试',
  startPage: '前往首页',
  refusedTitle: '未能登录',
  roleTitle: '您无法打开此页面',
  expiredTitle: '此登录已失效',
  failedTitle: '目前无法登录',
  signedOutTitle: '您已退出登录',
  LOGIN_NOT_FOUND: '我们无法完成您的登录。请在此浏览器中重新开始，并允许 Cookie。',
  LOGIN_UNREADABLE: '此登录的 Cookie 已被更改，或网站更换了密钥。请重新开始。',
  LOGIN_EXPIRED: '此登录用时超过十分钟。请重新开始。',
  LOGIN_CODE_USED: '此登录的代码已被使用，或已超过一分钟。请重新开始。',
  LOGIN_REFUSED:
    '未能登录：登录已取消，或您不是成员。请加入服务器后重新登录。如果您被踢出或封禁，请咨询其管理团队。',
  LOGIN_FAILED: '目前无法登录。请稍后再试。',
  LOGOUT_INCOMPLETE: '您已在此浏览器中退出登录。无法连接到服务，因此会话将稍后结束。',
  ROLE_REQUIRED: '您的账号没有网站要求的身份组。',
  SESSION_CHECK_UNAVAILABLE: '目前无法检查您的会话。请稍后再试。',
  NOT_FOUND: '这里什么都没有。',
  declined: '您在 Discord 上拒绝了登录。',
  not_a_member:
    '此账号不是该服务器的成员。如果您尚未加入，请在 Discord 上加入后重新登录。如果您被踢出或封禁，请咨询服务器的管理团队。',
  blocked:
    '此账号已被屏蔽。社区管理员屏蔽了此账号，因此无法登录。重试无法解决问题。如有疑问，请联系社区管理团队。',
  no_access: '社区管理员需要先允许网站访问该服务器。请告知网站管理者。',
  temporarily_unavailable: 'Discord 没有响应。我们无法完成您的登录。您的账号没有问题。',
  server_error: '问题出在我们这边，您的账号没有问题。',
}
