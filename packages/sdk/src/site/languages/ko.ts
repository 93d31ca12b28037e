import type { PageTexts } from './page-texts.ts'

/** Korean, 해요체. Not yet reviewed by a native reader: each correction is one line. */
export const ko: PageTexts = {
  tryAgain: '다시 시도하기',
  startPage: '시작 페이지로 이동',
  refusedTitle: '로그인하지 못했어요',
  roleTitle: '이 페이지를 열 수 없어요',
  expiredTitle: '이 로그인은 만료됐어요',
  failedTitle: '지금은 로그인할 수 없어요',
  signedOutTitle: '로그아웃했어요',
  LOGIN_NOT_FOUND: '로그인을 완료하지 못했어요. 이 브라우저에서 다시 시작하고 쿠키를 허용해 주세요.',
  LOGIN_UNREADABLE: '이 로그인의 쿠키가 변경됐거나 사이트가 비밀 키를 바꿨어요. 다시 시작해 주세요.',
  LOGIN_EXPIRED: '이 로그인은 10분 넘게 걸렸어요. 다시 시작해 주세요.',
  LOGIN_CODE_USED: '이 로그인의 코드는 이미 사용했거나 받은 지 1분이 지났어요. 다시 시작해 주세요.',
  LOGIN_REFUSED:
    '로그인하지 못했어요. 로그인이 취소됐거나 서버의 멤버가 아니에요. 서버에 참가한 다음 다시 로그인해 주세요. 추방되거나 차단됐다면 서버 운영진에게 문의해 주세요.',
  LOGIN_FAILED: '지금은 로그인할 수 없어요. 잠시 뒤에 다시 시도해 주세요.',
  LOGOUT_INCOMPLETE: '이 브라우저에서 로그아웃했어요. 서비스에 연결할 수 없어서 세션은 나중에 종료돼요.',
  ROLE_REQUIRED: '계정에 사이트가 요구하는 역할이 없어요.',
  SESSION_CHECK_UNAVAILABLE: '지금은 세션을 확인할 수 없어요. 잠시 뒤에 다시 시도해 주세요.',
  NOT_FOUND: '여기에는 아무것도 없어요.',
  declined: 'Discord에서 로그인을 거부했어요.',
  not_a_member:
    '이 계정은 서버의 멤버가 아니에요. 아직 참가하지 않았다면 Discord에서 참가한 다음 다시 로그인해 주세요. 추방되거나 차단됐다면 서버 운영진에게 문의해 주세요.',
  blocked:
    '차단된 계정이에요. 커뮤니티 관리자가 차단해서 로그인할 수 없어요. 다시 시도해도 해결되지 않아요. 궁금한 점은 커뮤니티 운영진에게 문의해 주세요.',
  no_access: '먼저 커뮤니티 관리자가 사이트에 서버 접근 권한을 줘야 해요. 사이트 운영자에게 알려 주세요.',
  temporarily_unavailable: 'Discord가 응답하지 않아요. 로그인을 완료하지 못했어요. 계정에는 문제가 없어요.',
  server_error: '저희 쪽에 문제가 있어요. 계정에는 문제가 없어요.',
}
