import type { PageTexts } from './page-texts.ts'

/** Italian, with "tu". Not yet reviewed by a native reader: each correction is one line. */
export const it: PageTexts = {
  tryAgain: 'Riprova',
  startPage: 'Vai alla pagina iniziale',
  refusedTitle: 'Accesso non effettuato',
  roleTitle: 'Non puoi aprire questa pagina',
  expiredTitle: 'Questo accesso è scaduto',
  failedTitle: 'Al momento non è possibile accedere',
  signedOutTitle: 'La sessione è chiusa',
  LOGIN_NOT_FOUND:
    'Non è stato possibile completare l’accesso. Ricomincia in questo browser e consenti i cookie.',
  LOGIN_UNREADABLE:
    'Il cookie di questo accesso è stato modificato, oppure il sito ha sostituito la sua chiave segreta. Ricomincia.',
  LOGIN_EXPIRED: 'Questo accesso è durato più di dieci minuti. Ricomincia.',
  LOGIN_CODE_USED: 'Il codice di questo accesso è già stato usato o ha più di un minuto. Ricomincia.',
  LOGIN_REFUSED:
    'L’accesso non è stato effettuato: è stato annullato, oppure il tuo account non è membro. Unisciti al server e accedi di nuovo. In caso di espulsione o ban, chiedi ai suoi moderatori.',
  LOGIN_FAILED: 'Al momento non è possibile accedere. Riprova tra poco.',
  LOGOUT_INCOMPLETE:
    'La sessione è chiusa in questo browser. Il servizio non è raggiungibile, quindi lì la sessione terminerà più tardi.',
  ROLE_REQUIRED: 'Il tuo account non ha un ruolo richiesto dal sito.',
  SESSION_CHECK_UNAVAILABLE: 'Al momento non è possibile verificare la tua sessione. Riprova tra poco.',
  NOT_FOUND: 'Qui non c’è niente.',
  declined: 'Hai rifiutato l’accesso su Discord.',
  not_a_member:
    'Questo account non è membro del server. Se non fai ancora parte del server, unisciti su Discord e accedi di nuovo. In caso di espulsione o ban, rivolgiti ai moderatori del server.',
  blocked:
    'Questo account è bloccato. Un admin della community lo ha bloccato, quindi non può accedere. Riprovare non serve. Per informazioni, scrivi ai moderatori della community.',
  no_access:
    'Un admin della community deve prima dare al sito l’accesso al server. Avvisa chi gestisce il sito.',
  temporarily_unavailable:
    'Discord non risponde. Non siamo riusciti a completare l’accesso. Il tuo account è a posto.',
  server_error: 'Il problema è nostro. Il tuo account è a posto.',
}
