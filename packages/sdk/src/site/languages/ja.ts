import type { PageTexts } from './page-texts.ts'

/** Japanese, です・ます. Not yet reviewed by a native reader: each correction is one line. */
export const ja: PageTexts = {
  tryAgain: 'もう一度試す',
  startPage: 'トップページへ',
  refusedTitle: 'ログインできませんでした',
  roleTitle: 'このページは開けません',
  expiredTitle: 'このログインは無効になりました',
  failedTitle: '現在ログインできません',
  signedOutTitle: 'ログアウトしました',
  LOGIN_NOT_FOUND:
    'ログインを完了できませんでした。このブラウザで最初からやり直し、Cookie を許可してください。',
  LOGIN_UNREADABLE:
    'このログインの Cookie が変更されたか、サイトの秘密鍵が置き換えられました。最初からやり直してください。',
  LOGIN_EXPIRED: 'このログインには10分以上かかりました。最初からやり直してください。',
  LOGIN_CODE_USED:
    'このログインのコードはすでに使われたか、発行から1分以上たっています。最初からやり直してください。',
  LOGIN_REFUSED:
    'ログインできませんでした。キャンセルされたか、アカウントがメンバーではありません。サーバーに参加して、もう一度ログインしてください。キックまたは BAN された場合は、サーバーのモデレーターに問い合わせてください。',
  LOGIN_FAILED: '現在ログインできません。少し後でもう一度試してください。',
  LOGOUT_INCOMPLETE:
    'このブラウザではログアウトしました。サービスに接続できなかったため、セッションは後で終了します。',
  ROLE_REQUIRED: 'サイトが必要とするロールがアカウントにありません。',
  SESSION_CHECK_UNAVAILABLE: '現在セッションを確認できません。少し後でもう一度試してください。',
  NOT_FOUND: 'ここには何もありません。',
  declined: 'Discord でログインを拒否しました。',
  not_a_member:
    'このアカウントはサーバーのメンバーではありません。まだ参加していない場合は、Discord で参加してからもう一度ログインしてください。キックまたは BAN された場合は、サーバーのモデレーターに問い合わせてください。',
  blocked:
    'このアカウントはブロックされています。コミュニティの管理者がブロックしたため、ログインできません。やり直しても解決しません。お問い合わせは、コミュニティのモデレーターまでお願いします。',
  no_access:
    '先に、コミュニティの管理者がサイトにサーバーの利用を許可する必要があります。サイトの運営者に知らせてください。',
  temporarily_unavailable:
    'Discord が応答しません。ログインを完了できませんでした。アカウントに問題はありません。',
  server_error: 'こちら側の問題です。アカウントに問題はありません。',
}
