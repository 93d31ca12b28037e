import type { PageTexts } from './page-texts.ts'

/** Brazilian Portuguese, with "você". Not yet reviewed by a native reader: each correction is one line. */
export const ptBr: PageTexts = {
  tryAgain: 'Tentar de novo',
  startPage: 'Ir para a página inicial',
  refusedTitle: 'O login não foi feito',
  roleTitle: 'Você não pode abrir esta página',
  expiredTitle: 'Este login expirou',
  failedTitle: 'O login não funciona no momento',
  signedOutTitle: 'Você saiu',
  LOGIN_NOT_FOUND: 'Não foi possível concluir o login. Comece de novo neste navegador e permita os cookies.',
  LOGIN_UNREADABLE: 'O cookie deste login foi alterado, ou o site trocou sua chave secreta. Comece de novo.',
  LOGIN_EXPIRED: 'Este login demorou mais de dez minutos. Comece de novo.',
  LOGIN_CODE_USED: 'O código deste login já foi usado ou tem mais de um minuto. Comece de novo.',
  LOGIN_REFUSED:
    'O login não foi feito: ele foi cancelado ou sua conta não é membro. Entre no servidor e faça login de novo. Se você foi expulso ou banido, pergunte aos moderadores.',
  LOGIN_FAILED: 'O login não funciona no momento. Tente de novo daqui a pouco.',
  LOGOUT_INCOMPLETE:
    'Você saiu neste navegador. Não foi possível acessar o serviço, então a sessão terminará lá mais tarde.',
  ROLE_REQUIRED: 'Sua conta não tem um cargo que o site exige.',
  SESSION_CHECK_UNAVAILABLE: 'Não é possível verificar sua sessão no momento. Tente de novo daqui a pouco.',
  NOT_FOUND: 'Não há nada aqui.',
  declined: 'Você recusou o login no Discord.',
  not_a_member:
    'Esta conta não é membro do servidor. Se você ainda não entrou no servidor, entre nele pelo Discord e faça login de novo. Em caso de expulsão ou banimento, fale com os moderadores do servidor.',
  blocked:
    'Esta conta está bloqueada. Um admin da comunidade bloqueou a conta, e ela não pode entrar. Tentar de novo não vai ajudar. Em caso de dúvida, escreva aos moderadores da comunidade.',
  no_access:
    'Antes, um admin da comunidade precisa dar ao site acesso ao servidor. Avise quem administra o site.',
  temporarily_unavailable:
    'O Discord não responde. Não conseguimos concluir seu login. Está tudo certo com a sua conta.',
  server_error: 'O problema é nosso. Está tudo certo com a sua conta.',
}
